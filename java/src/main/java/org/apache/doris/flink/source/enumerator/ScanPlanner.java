package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.jni.ScanPlan;

import java.util.function.BooleanSupplier;

/** Requests from the cluster what there is to read. */
interface ScanPlanner {

    /**
     * Plans the scan; runs on a worker thread of the coordinator.
     *
     * @param cancelled becomes true when the answer is not needed any more
     * @throws InterruptedException when the thread is interrupted or the plan cancelled
     * @throws Exception when the cluster cannot be reached or refuses; the message has the reason
     */
    ScanPlan plan(BooleanSupplier cancelled) throws Exception;

    /**
     * The tablets that the table has now, whatever the filters: those of a plan, where it leaves
     * none out. Runs on a worker thread too and fails as {@link #plan} does.
     */
    default ScanPlan lookUp(BooleanSupplier cancelled) throws Exception {
        return plan(cancelled);
    }
}

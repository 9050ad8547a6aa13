package org.apache.doris.flink.chaos;

import org.apache.flink.configuration.Configuration;

import java.nio.file.Path;
import java.util.Map;

/** The Flink cluster of a run and what can be done to it. */
public interface Flink extends AutoCloseable {

    /** What both kinds of cluster are set up with, so that losses are noticed within seconds. */
    static Map<String, String> settings(Path folder) {
        return Map.of(
                "heartbeat.interval", "500",
                "heartbeat.timeout", "4000",
                "metrics.fetcher.update-interval", "500",
                "web.refresh-interval", "100",
                "execution.checkpointing.num-retained", "3",
                "io.tmp.dirs", folder.resolve("tmp").toString(),
                "web.exception-history-size", "50",
                "web.timeout", "30000");
    }

    /** Its REST service. */
    FlinkRest rest();

    /** What a client needs to submit a job: the address, and the jars where they are needed. */
    Configuration client();

    /** Ends the task manager with this id in its own way, without waiting for its tasks. */
    void endTaskManager(String id) throws Exception;

    /** Ends one of the task managers; which one is told by a draw. */
    void endSomeTaskManager(int draw) throws Exception;

    /** Starts another task manager and waits until Flink knows it. */
    void startTaskManager() throws Exception;

    /**
     * Stops the process of one of the task managers without a word to anybody; what is returned
     * lets it go on. Only for clusters of processes, as {@link #replaceJobManager}.
     */
    default Runnable suspendSomeTaskManager(int draw) throws Exception {
        throw new UnsupportedOperationException("this cluster has no processes of its own");
    }

    /** Kills the job manager's process and starts another; its jobs are gone. */
    default void replaceJobManager() throws Exception {
        throw new UnsupportedOperationException("this cluster has no processes of its own");
    }

    @Override
    void close() throws Exception;
}

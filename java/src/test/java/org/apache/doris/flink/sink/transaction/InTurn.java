package org.apache.doris.flink.sink.transaction;

import org.apache.doris.flink.sink.transaction.Transactions.OnFailure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A call whose parts are calls that follow each other. */
final class InTurn<T> implements PendingCall<List<Transactions.Answer<T>>> {

    private final Iterator<Faults.Begin<T>> left;
    private final OnFailure onFailure;
    private final List<Transactions.Answer<T>> answers = new ArrayList<>();
    private PendingCall<T> call;
    private IOException failure;

    InTurn(List<Faults.Begin<T>> parts, OnFailure onFailure) {
        this.left = parts.iterator();
        this.onFailure = onFailure;
    }

    @Override
    public boolean await(long millis) {
        while (failure == null && (call != null || left.hasNext())) {
            try {
                if (call == null) {
                    call = left.next().begin();
                }
                if (!call.await(millis)) {
                    return false;
                }
                answers.add(Transactions.Answer.of(call.result()));
            } catch (IOException e) {
                if (onFailure == OnFailure.END_CALL) {
                    failure = e;
                }
                answers.add(Transactions.Answer.failed(e));
            }
            close();
        }
        return true;
    }

    @Override
    public List<Transactions.Answer<T>> result() throws IOException {
        if (failure != null) {
            throw failure;
        }
        return answers;
    }

    @Override
    public void close() {
        if (call != null) {
            call.close();
            call = null;
        }
    }
}

package org.apache.doris.flink.sink.transaction;

import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;

/** Calls that follow each other; several chains run side by side on one thread. */
@Internal
public interface CallChain {

    /** Begins the next call; null at the end of the chain. */
    PendingCall<?> begin() throws IOException;

    /** The call begun last can be taken. The caller closes it. */
    void arrived() throws IOException;

    /** Most calls under way at once. */
    int MOST_AT_ONCE = 16;

    /**
     * Runs chains to their ends. The first failure that a chain throws ends all of them; calls
     * under way are given up.
     */
    static void run(Collection<? extends CallChain> chains, Pause pause)
            throws IOException, InterruptedException {
        Queue<CallChain> waiting = new ArrayDeque<>(chains);
        List<Running> running = new ArrayList<>();
        try {
            while (!waiting.isEmpty() || !running.isEmpty()) {
                while (running.size() < MOST_AT_ONCE && !waiting.isEmpty()) {
                    Running next = new Running(waiting.remove());
                    if (next.begin()) {
                        running.add(next);
                    }
                }
                if (!running.isEmpty() && !advance(running)) {
                    running.get(0).call.await(running.size() == 1 ? Pause.SLICE_MILLIS : 2);
                    pause.pause();
                }
            }
        } finally {
            running.forEach(Running::close);
        }
    }

    /** Takes every answer that is there; false when there was none. */
    private static boolean advance(List<Running> running) throws IOException {
        boolean progress = false;
        for (Iterator<Running> all = running.iterator(); all.hasNext(); ) {
            Running one = all.next();
            if (one.call.await(0)) {
                progress = true;
                one.take();
                if (!one.begin()) {
                    all.remove();
                }
            }
        }
        return progress;
    }

    /** A chain and its call under way. */
    final class Running {

        private final CallChain chain;
        private PendingCall<?> call;

        private Running(CallChain chain) {
            this.chain = chain;
        }

        private boolean begin() throws IOException {
            call = chain.begin();
            return call != null;
        }

        private void take() throws IOException {
            try {
                chain.arrived();
            } finally {
                close();
            }
        }

        private void close() {
            if (call != null) {
                call.close();
                call = null;
            }
        }
    }
}

package org.apache.doris.flink.sink.transaction;

import org.apache.doris.flink.error.ErrorCode;
import org.apache.doris.flink.error.NativeException;
import org.apache.doris.flink.jni.NativeCall;
import org.apache.doris.flink.jni.NativeSink;
import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Transactions through the native core. The sink handle belongs to the caller. */
@Internal
public final class NativeTransactions implements Transactions {

    private final NativeSink sink;

    /**
     * @param sink open for as long as this is used
     */
    public NativeTransactions(NativeSink sink) {
        this.sink = sink;
    }

    @Override
    public PendingCall<LabelState> state(String database, String label) throws IOException {
        return call(
                Map.of("call", "state", "database", database, "label", label),
                answer -> LabelState.valueOf(value(answer, "state")));
    }

    @Override
    public PendingCall<List<Transactions.Answer<List<LabelState>>>> series(
            List<LabelSeries.Tail> series, boolean pastFinished, OnFailure onFailure)
            throws IOException {
        Map<String, String> request = request("series", series.size(), onFailure);
        request.put("past.finished", String.valueOf(pastFinished));
        for (int i = 0; i < series.size(); i++) {
            request.put(i + ".database", series.get(i).series().database());
            request.put(i + ".base", series.get(i).series().base());
            request.put(i + ".first", String.valueOf(series.get(i).first()));
        }
        return call(
                request,
                answer -> answers(answer, series.size(), "states", NativeTransactions::states));
    }

    @Override
    public PendingCall<List<Transactions.Answer<Transactions.AbortOutcome>>> abort(
            List<Label> labels, OnFailure onFailure) throws IOException {
        Map<String, String> request = request("abort", labels.size(), onFailure);
        for (int i = 0; i < labels.size(); i++) {
            request.put(i + ".database", labels.get(i).database());
            request.put(i + ".label", labels.get(i).label());
        }
        return call(
                request,
                answer -> answers(answer, labels.size(), "outcome", NativeTransactions::aborted));
    }

    private static Map<String, String> request(String call, int count, OnFailure onFailure) {
        Map<String, String> request = new HashMap<>();
        request.put("call", call);
        request.put("count", String.valueOf(count));
        request.put("first.failure.ends", String.valueOf(onFailure == OnFailure.END_CALL));
        return request;
    }

    private static <T> List<Transactions.Answer<T>> answers(
            Map<String, String> answer, int count, String name, Function<String, T> reader) {
        List<Transactions.Answer<T>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String failure = answer.get(i + ".failure");
            answers.add(
                    failure == null
                            ? Transactions.Answer.of(reader.apply(value(answer, i + "." + name)))
                            : Transactions.Answer.failed(failure(answer, i, failure)));
        }
        return answers;
    }

    private static IOException failure(Map<String, String> answer, int part, String message) {
        int code = Integer.parseInt(value(answer, part + ".failure.code"));
        boolean retryable = Boolean.parseBoolean(value(answer, part + ".failure.retryable"));
        return translated(new NativeException(code, retryable, message));
    }

    private static List<LabelState> states(String names) {
        return names.isEmpty()
                ? List.of()
                : Arrays.stream(names.split(","))
                        .map(LabelState::valueOf)
                        .collect(Collectors.toList());
    }

    private static Transactions.AbortOutcome aborted(String outcome) {
        switch (outcome) {
            case "aborted":
                return Transactions.AbortOutcome.ABORTED;
            case "finished":
                return Transactions.AbortOutcome.FINISHED;
            case "not-found":
                return Transactions.AbortOutcome.NOT_FOUND;
            default:
                throw new IllegalArgumentException(outcome);
        }
    }

    @Override
    public PendingCall<Transactions.CommitOutcome> commit(
            String database, String table, long txnId, String label) throws IOException {
        return call(
                Map.of(
                        "call",
                        "commit",
                        "database",
                        database,
                        "table",
                        table,
                        "txn.id",
                        String.valueOf(txnId),
                        "label",
                        label),
                answer -> {
                    String outcome = value(answer, "outcome");
                    int retries = Integer.parseInt(answer.getOrDefault("retries", "0"));
                    switch (outcome) {
                        case "committed":
                            return new Transactions.CommitOutcome(false, retries);
                        case "already":
                            return new Transactions.CommitOutcome(true, retries);
                        default:
                            throw new IllegalArgumentException(outcome);
                    }
                });
    }

    /** Begins any call and reads its answer. */
    public <T> PendingCall<T> call(Map<String, String> request, Reader<T> reader)
            throws IOException {
        return new Pending<>(sink.call(request), reader);
    }

    /** A value that an answer must have. */
    public static String value(Map<String, String> answer, String key) {
        String value = answer.get(key);
        if (value == null) {
            throw new IllegalArgumentException("no " + key);
        }
        return value;
    }

    private static IOException translated(NativeException e) {
        // The same text; a stack trace would show it twice.
        switch (e.code()) {
            case ABORTED:
                return new TransactionGone(e.getMessage(), true, e.getCause());
            case FORGOTTEN:
                return new TransactionGone(e.getMessage(), false, e.getCause());
            default:
                return e;
        }
    }

    /** Reads an answer; an {@link IllegalArgumentException} means that it makes no sense. */
    public interface Reader<T> {

        /** The answer as a value. */
        T read(Map<String, String> answer);
    }

    private static final class Pending<T> implements PendingCall<T> {

        private final NativeCall call;
        private final Reader<T> reader;
        private NativeException failure;

        private Pending(NativeCall call, Reader<T> reader) {
            this.call = call;
            this.reader = reader;
        }

        @Override
        public boolean await(long millis) {
            try {
                return failure != null || call.await(millis);
            } catch (NativeException e) {
                failure = e;
                return true;
            }
        }

        @Override
        public T result() throws IOException {
            if (failure != null) {
                throw translated(failure);
            }
            try {
                return reader.read(call.result());
            } catch (NativeException e) {
                throw translated(e);
            } catch (IllegalArgumentException e) {
                throw new NativeException(
                        ErrorCode.INTERNAL,
                        "an answer of the native library is not understood: " + e.getMessage(),
                        e);
            }
        }

        @Override
        public void close() {
            call.close();
        }
    }
}

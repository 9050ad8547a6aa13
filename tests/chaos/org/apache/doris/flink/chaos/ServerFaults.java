package org.apache.doris.flink.chaos;

import org.apache.doris.flink.chaos.Plan.Planned;
import org.apache.doris.flink.chaos.job.ChaosJob;
import org.apache.doris.flink.chaos.job.ChaosRows.Stream;
import org.apache.doris.flink.it.Fault;

import java.util.Optional;

/** What each fault of the server is in the words of its admin port. */
final class ServerFaults {

    private final Mode mode;

    ServerFaults(Mode mode) {
        this.mode = mode;
    }

    /** The rule of a planned fault in a job of so many subtasks. */
    Fault of(Planned<FaultKind> planned, int parallelism) {
        int times = planned.times;
        switch (planned.kind) {
            case LOAD_ANSWER_LOST:
                return load("be.load.answer", planned).times(times).drop();
            case LOAD_ANSWER_RESET:
                return load("be.load.answer", planned).times(times).reset();
            case LOAD_ANSWER_LATE:
                return load("be.load.answer", planned).times(times).delay(planned.delay(1500));
            case REDIRECT_RESET:
                return Fault.at("fe.redirect").times(times).reset();
            case REDIRECT_REFUSED:
                return Fault.at("fe.redirect").times(times).httpStatus(503, "going away");
            case HEADERS_RESET:
                return load("be.load.headers", planned).times(times).reset();
            case BODY_RESET:
                // Most bodies are small: the first bytes always come.
                return load("be.load.body", planned).times(times).after(1).reset();
            case TOO_MANY_VERSIONS:
                // What is refused may not be loaded; a pre-commit is thrown away.
                return load(mode == Mode.WRITE ? "be.load.answer" : "txn.commit", planned)
                        .times(times)
                        .answer(
                                "Fail",
                                "[E-235]failed to init rowset builder. version count: 2001, exceed"
                                        + " limit: 2000, tablet: 10011");
            case TOO_MANY_TRANSACTIONS:
                return load("be.load.headers", planned)
                        .times(times)
                        .answer(
                                "Fail",
                                "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = current"
                                        + " running txns on db 10002 is 1000, larger than limit"
                                        + " 1000");
            case COMMIT_LOCK_TIMEOUT:
                return Fault.at("2pc.request")
                        .times(Math.min(times, 2))
                        .answer(
                                "ANALYSIS_ERROR",
                                "TStatus: errCode = 2, detailMessage = get tableList write lock"
                                        + " timeout, tableList=(Table [id=10005, name=latest])");
            case COMMIT_REFUSED:
                return Fault.at("2pc.request").times(Math.min(times, 2)).httpStatus(503, "later");
            case TWO_PHASE_REQUEST_DROPPED:
                return Fault.at("2pc.request").times(times).reset();
            case TWO_PHASE_ANSWER_LOST:
                return Fault.at("2pc.answer").times(times).drop();
            case SLOW_PUBLISH:
                return Fault.at("txn.publish").times(times).delay(planned.delay(3000));
            case STATE_RESET:
                return Fault.at("fe.api").statement("get_load_state").times(times).reset();
            case LOAD_UNAVAILABLE:
                return load("be.load.headers", planned).times(times).httpStatus(503, "later");
            case BODY_SLOW:
                return load("be.load.body", planned)
                        .times(times)
                        .bytesPerSecond(200 + planned.draw % 2000);
            case LOAD_LOCK_TIMEOUT:
                return load("txn.commit", planned)
                        .times(Math.min(times, 2))
                        .answer(
                                "Fail",
                                "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = get"
                                        + " tableList write lock timeout, tableList=(Table"
                                        + " [id=10005, name=latest])");
            case LOAD_UNDECIDED:
                return held("txn.commit", planned, parallelism).times(1).hold();
            case BACKEND_SILENT:
            case ANSWER_HELD_OVER_FAILOVER:
                return held("be.load.answer", planned, parallelism).times(1).hold();
            case PRECOMMIT_HELD_OVER_FAILOVER:
                String end = mode == Mode.WRITE ? "txn.precommit" : "txn.commit";
                return held(end, planned, parallelism).times(1).hold();
            case BODY_HELD_OVER_FAILOVER:
                return held("be.load.body", planned, parallelism).after(1).times(1).hold();
            default:
                throw new IllegalArgumentException(planned.kind.text());
        }
    }

    /**
     * What makes the sink come to the point where a planned fault strikes, if it takes something.
     */
    Optional<Fault> leadingTo(Planned<FaultKind> planned) {
        switch (planned.kind) {
            case REDIRECT_RESET:
            case REDIRECT_REFUSED:
                // A back end that works is used again without a question to a front end.
                return Optional.of(load("be.load.headers", planned).times(1).reset());
            case STATE_RESET:
                return Optional.of(load("be.load.answer", planned).times(1).drop());
            default:
                return Optional.empty();
        }
    }

    /** Commits of the table of a planned fault fail for good, until the rule is deleted. */
    Fault commitsRefused(Planned<FaultKind> planned) {
        return Fault.at("2pc.request")
                .label(labelPart(planned))
                .answer("INTERNAL_ERROR", "the cluster is being upgraded");
    }

    /** The stream that a planned fault strikes. */
    Stream stream(Planned<FaultKind> planned) {
        Stream[] streams = Stream.values();
        boolean inserts = mode == Mode.BATCH && planned.kind.outlivesAttempt();
        return inserts && streams[planned.operator] == Stream.UPDATES
                ? streams[1 + planned.draw % 2]
                : streams[planned.operator];
    }

    /** A part of all labels of the table that a planned fault strikes. */
    private String labelPart(Planned<FaultKind> planned) {
        return "_" + ChaosJob.DATABASE + "_" + table(planned) + "_";
    }

    private String table(Planned<FaultKind> planned) {
        switch (stream(planned)) {
            case UPDATES:
                return ChaosJob.UNIQUE;
            case SIDE_B:
                return mode == Mode.BATCH ? ChaosJob.routed(planned.draw / 2) : ChaosJob.DUPLICATE;
            default:
                return ChaosJob.DUPLICATE;
        }
    }

    private Fault load(String point, Planned<FaultKind> planned) {
        return Fault.at(point).table(table(planned));
    }

    /** Strikes loads of one subtask. */
    private Fault held(String point, Planned<FaultKind> planned, int parallelism) {
        int subtask = planned.subtask % parallelism;
        return Fault.at(point).label(labelPart(planned) + subtask + "_");
    }
}

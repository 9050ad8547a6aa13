package org.apache.doris.flink.it;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** A rule that breaks something in the stand-in server, in the words of its admin port. */
public final class Fault {

    private final String point;
    private final Map<String, String> match = new TreeMap<>();
    private final StringBuilder actions = new StringBuilder();
    private String times = "";
    private int after;

    private Fault(String point) {
        this.point = point;
    }

    /** A rule for one point, such as {@code flight.do_get}. */
    public static Fault at(String point) {
        return new Fault(point);
    }

    /** Strikes reads of one table only. */
    public Fault table(String table) {
        return matching("table", table);
    }

    /** Strikes where the statement has this part; {@code *} stands for anything. */
    public Fault statement(String part) {
        return matching("statement", part);
    }

    /** Strikes where the label of the load has this part; {@code *} stands for anything. */
    public Fault label(String part) {
        return matching("label", part);
    }

    /** Strikes on one node only, such as {@code be1}. */
    public Fault node(String node) {
        return matching("node", node);
    }

    /** Strikes when so many batches of a stream were sent, or bytes of a load's body received. */
    public Fault after(int count) {
        after = count;
        return this;
    }

    /** Strikes so often, else until it is deleted. */
    public Fault times(int times) {
        this.times = ",\"times\":" + times;
        return this;
    }

    /** Waits until the rule is deleted; what else the rule does comes after that. */
    public Fault hold() {
        return action("\"hold\":true");
    }

    /** Waits so long; what else the rule does comes after that. */
    public Fault delay(Duration time) {
        return action("\"delay_ms\":" + time.toMillis());
    }

    /** Takes the rest of a load's body no faster than this. */
    public Fault bytesPerSecond(long bytes) {
        return action("\"bytes_per_second\":" + bytes);
    }

    /** Tears the TCP connection down. */
    public Fault reset() {
        return action("\"reset\":true");
    }

    /** Resets the HTTP/2 stream alone. */
    public Fault close() {
        return action("\"close\":\"stream\"");
    }

    /** Ends the stream in order, but without a status. */
    public Fault endWithoutStatus() {
        return action("\"close\":\"no_trailers\"");
    }

    /** Damages the header of the next batch. */
    public Fault corruptHeader() {
        return action("\"corrupt_header\":true");
    }

    /** Cuts the body of the next batch. */
    public Fault truncate() {
        return action("\"truncate\":true");
    }

    /** Fails with a gRPC status. */
    public Fault status(String code, String message) {
        return action(
                String.format(
                        "\"status\":{\"code\":%s,\"message\":%s}",
                        Json.quote(code), Json.quote(message)));
    }

    /** Fails with an HTTP status. */
    public Fault httpStatus(int status, String body) {
        return action(
                String.format("\"status\":{\"code\":%d,\"message\":%s}", status, Json.quote(body)));
    }

    /** Fails as Doris words it. */
    public Fault answer(String message) {
        return action(String.format("\"answer\":{\"message\":%s}", Json.quote(message)));
    }

    /** Fails as Doris words it, with the status that stands in a load's or a commit's answer. */
    public Fault answer(String status, String message) {
        return action(
                String.format(
                        "\"answer\":{\"status\":%s,\"message\":%s}",
                        Json.quote(status), Json.quote(message)));
    }

    /** Does the work, then ends the connection instead of answering. */
    public Fault drop() {
        return action("\"drop_answer\":true");
    }

    /** The rule as JSON. */
    public String json() {
        return String.format(
                "{\"at\":\"%s\",\"match\":{%s},\"do\":{%s},\"after\":%d%s}",
                point, String.join(",", match.values()), actions, after, times);
    }

    /** A later value takes the place of an earlier one. */
    private Fault matching(String name, String value) {
        match.put(name, Json.quote(name) + ":" + Json.quote(value));
        return this;
    }

    private Fault action(String member) {
        actions.append(actions.length() == 0 ? "" : ",").append(member);
        return this;
    }
}

package org.apache.doris.flink.it;

import java.util.Map;
import java.util.TreeMap;

/** A rule that breaks something in the stand-in server, in the words of its admin port. */
final class Fault {

    private final String point;
    private final Map<String, String> match = new TreeMap<>();
    private final StringBuilder actions = new StringBuilder();
    private String times = "";
    private int after;

    private Fault(String point) {
        this.point = point;
    }

    /** A rule for one point, such as {@code flight.do_get}. */
    static Fault at(String point) {
        return new Fault(point);
    }

    /** Strikes reads of one table only. */
    Fault table(String table) {
        return matching("table", table);
    }

    /** Strikes where the statement has this part; {@code *} stands for anything. */
    Fault statement(String part) {
        return matching("statement", part);
    }

    /** Strikes on one node only, such as {@code be1}. */
    Fault node(String node) {
        return matching("node", node);
    }

    /** Strikes when so many batches of a stream were sent. */
    Fault after(int batches) {
        after = batches;
        return this;
    }

    /** Strikes so often, else until it is deleted. */
    Fault times(int times) {
        this.times = ",\"times\":" + times;
        return this;
    }

    /** Waits until the rule is deleted; what else the rule does comes after that. */
    Fault hold() {
        return action("\"hold\":true");
    }

    /** Tears the TCP connection down. */
    Fault reset() {
        return action("\"reset\":true");
    }

    /** Resets the HTTP/2 stream alone. */
    Fault close() {
        return action("\"close\":\"stream\"");
    }

    /** Ends the stream in order, but without a status. */
    Fault endWithoutStatus() {
        return action("\"close\":\"no_trailers\"");
    }

    /** Damages the header of the next batch. */
    Fault corruptHeader() {
        return action("\"corrupt_header\":true");
    }

    /** Cuts the body of the next batch. */
    Fault truncate() {
        return action("\"truncate\":true");
    }

    /** Fails with a gRPC status. */
    Fault status(String code, String message) {
        return action(
                String.format(
                        "\"status\":{\"code\":%s,\"message\":%s}",
                        Json.quote(code), Json.quote(message)));
    }

    /** Fails as Doris words it. */
    Fault answer(String message) {
        return action(String.format("\"answer\":{\"message\":%s}", Json.quote(message)));
    }

    /** Does the work, then ends the connection instead of answering. */
    Fault drop() {
        return action("\"drop_answer\":true");
    }

    /** The rule as JSON. */
    String json() {
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

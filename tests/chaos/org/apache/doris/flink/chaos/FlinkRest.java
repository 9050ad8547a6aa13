package org.apache.doris.flink.chaos;

import org.apache.doris.flink.it.Json;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

/** Flink's REST API, as far as a run looks at it. */
public final class FlinkRest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI address;

    FlinkRest(URI address) {
        this.address = address;
    }

    URI address() {
        return address;
    }

    /**
     * What stands at a path; an {@link IOException} when nobody answers or the answer is an error.
     */
    public Map<String, Object> get(String path) throws IOException {
        return Json.object(text(path));
    }

    /** As {@link #get}, unparsed. */
    public String text(String path) throws IOException {
        return send(HttpRequest.newBuilder().GET(), path);
    }

    /** Sends a body and gives the answer. */
    Map<String, Object> post(String path, String body) throws IOException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder()
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body));
        return Json.object(send(request, path));
    }

    /** Cancels a job; its end is still to come. */
    void cancel(String job) throws IOException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder().method("PATCH", BodyPublishers.noBody());
        send(request, "/jobs/" + job + "?mode=cancel");
    }

    private String send(HttpRequest.Builder request, String path) throws IOException {
        try {
            HttpResponse<String> answer =
                    client.send(
                            request.uri(address.resolve(path)).timeout(PATIENCE).build(),
                            BodyHandlers.ofString());
            if (answer.statusCode() >= 400) {
                throw new IOException(path + " gave " + answer.statusCode() + ": " + answer.body());
            }
            return answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + path, e);
        }
    }
}

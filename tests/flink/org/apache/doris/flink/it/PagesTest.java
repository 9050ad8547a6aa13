package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** USE-8: every statement of the README and the documentation is run, and has its result. */
@Timeout(180)
class PagesTest {

    private static final List<WriteMode> MODES = List.of(WriteMode.STREAM_LOAD);

    /** What a page expects to be there. */
    private static final Map<String, List<String>> BEFORE =
            Map.of(
                    "docs/standin.md",
                    List.of(
                            "CREATE DATABASE test",
                            "CREATE TABLE test.pupil (id INT, name VARCHAR(50)) UNIQUE KEY(id)"
                                    + " DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES"
                                    + " (\"replication_num\" = \"1\", \"changelog.enable\" ="
                                    + " \"true\")"));

    /** A feature of another system is needed, and what the page then offers instead is run. */
    private static final Map<String, List<String>> NOT_RUN =
            Map.of("docs/scenarios/delete-by-column.md", List.of("needs a Kafka broker"));

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    static Stream<Arguments> pages() {
        return Page.all().stream()
                .filter(page -> !page.blocks("sql").isEmpty())
                .flatMap(
                        page ->
                                (page.isScenario() ? MODES : MODES.subList(0, 1))
                                        .stream().map(mode -> Arguments.of(page, mode)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("pages")
    void theStatementsOfThePageRun(Page page, WriteMode mode) throws Exception {
        try (Standin doris = Standin.with().start()) {
            BEFORE.getOrDefault(page.name(), List.of()).forEach(doris::run);
            new PageRun(doris, FLINK, mode).run(page);
            NothingLeft.check(doris);
        }
    }

    @Test
    void whatIsNotRunIsListed() {
        Map<String, List<String>> notRun = new LinkedHashMap<>();
        for (Page page : Page.all()) {
            List<String> reasons =
                    page.blocks("sql", "text", "java").stream()
                            .map(Page.Block::reasonNotToRun)
                            .filter(reason -> !reason.isEmpty())
                            .collect(Collectors.toList());
            if (!reasons.isEmpty()) {
                notRun.put(page.name(), reasons);
            }
        }
        assertThat(notRun).isEqualTo(NOT_RUN);
    }

    @Test
    void theScenariosAreThere() {
        assertThat(Page.all().stream().filter(Page::isScenario))
                .hasSizeGreaterThan(8)
                .allSatisfy(page -> assertThat(page.blocks("text")).as(page.name()).isNotEmpty())
                .allSatisfy(page -> assertThat(page.blocks("java")).as(page.name()).isNotEmpty());
    }
}

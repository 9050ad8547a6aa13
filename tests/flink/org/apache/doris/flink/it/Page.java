package org.apache.doris.flink.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page of the documentation, and its blocks of code in their order. */
final class Page {

    private static final Path DOCS = Paths.get(System.getProperty("doris.docs"));
    private static final Pattern BLOCK =
            Pattern.compile(
                    "(?:<!-- ([^\n]*) -->\n+)?^```(\\w+)\n(.*?)^```$",
                    Pattern.DOTALL | Pattern.MULTILINE);

    private final Path path;
    private final List<Block> blocks = new ArrayList<>();

    private Page(Path path) {
        this.path = path;
        Matcher block = BLOCK.matcher(read(path));
        while (block.find()) {
            String remark = block.group(1) == null ? "" : block.group(1);
            blocks.add(new Block(remark, block.group(2), block.group(3)));
        }
    }

    /** The README and every page of the documentation. */
    static List<Page> all() {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return Stream.concat(Stream.of(DOCS.resolveSibling("README.md")), files)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .map(Page::new)
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Path of the file, as seen from the root of the repository. */
    String name() {
        return DOCS.getParent().relativize(path).toString();
    }

    /** Whether the page shows a way to write, which is then taken in all write modes. */
    boolean isScenario() {
        return path.getParent().equals(DOCS.resolve("scenarios"));
    }

    /** All blocks of some languages. */
    List<Block> blocks(String... languages) {
        return blocks.stream()
                .filter(block -> List.of(languages).contains(block.language))
                .collect(Collectors.toList());
    }

    @Override
    public String toString() {
        return name();
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A fenced block. */
    static final class Block {

        private static final String NOT_RUN = "not run: ";

        private final String remark;
        private final String language;
        private final String text;

        private Block(String remark, String language, String text) {
            this.remark = remark;
            this.language = language;
            this.text = text;
        }

        String language() {
            return language;
        }

        String text() {
            return text;
        }

        /** Why the block cannot be run; blank where it can. */
        String reasonNotToRun() {
            return remark.startsWith(NOT_RUN) ? remark.substring(NOT_RUN.length()) : "";
        }

        /** Whether its last statement starts a job that does not end. */
        boolean keepsRunning() {
            return remark.equals("keeps running");
        }

        /** The first line of SQL says where it is sent: {@code Doris} or {@code Flink}. */
        String where() {
            String first = text.split("\n", 2)[0];
            if (!first.equals("-- Doris") && !first.equals("-- Flink")) {
                throw new AssertionError("begins with neither -- Doris nor -- Flink: " + text);
            }
            return first.substring(3);
        }

        /** The statements of SQL, without remarks that have a line of their own. */
        List<String> statements() {
            List<String> statements = new ArrayList<>();
            for (String part : text.replaceAll("(?m)^--.*\n", "").split(";[ \t]*(?:--.*)?\n")) {
                if (!part.isBlank()) {
                    statements.add(part.trim());
                }
            }
            return statements;
        }

        /** The rows of a result of Doris, below the line of names; null for NULL. */
        List<List<String>> rows() {
            return Stream.of(text.split("\n"))
                    .skip(1)
                    .map(line -> Stream.of(line.split("\\|", -1)).map(Block::cell))
                    .map(cells -> cells.collect(Collectors.toList()))
                    .collect(Collectors.toList());
        }

        private static String cell(String padded) {
            String text = padded.trim();
            return text.equals("NULL") ? null : text;
        }

        @Override
        public String toString() {
            return text;
        }
    }
}

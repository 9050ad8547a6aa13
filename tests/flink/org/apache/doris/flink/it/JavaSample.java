package org.apache.doris.flink.it;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A sample of Java from the documentation: imports, and the statements of a main method. */
final class JavaSample {

    private static final String IMPORT = "import ";

    private JavaSample() {}

    /** Compiles a sample against the class path of the tests and runs it in this JVM. */
    static void run(String sample) throws Exception {
        Path folder = Files.createTempDirectory("sample");
        try {
            compile(sample, folder);
            try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
                loader.loadClass("Sample")
                        .getMethod("main", String[].class)
                        .invoke(null, (Object) new String[0]);
            } catch (InvocationTargetException e) {
                throw new AssertionError("the sample failed: " + e.getCause(), e.getCause());
            }
        } finally {
            delete(folder);
        }
    }

    private static void compile(String sample, Path folder) throws IOException {
        Path source = folder.resolve("Sample.java");
        Files.writeString(
                source,
                lines(sample, true)
                        + "\npublic final class Sample {\n"
                        + "public static void main(String[] args) throws Exception {\n"
                        + lines(sample, false)
                        + "\n}\n}\n");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled =
                    compiler.getTask(
                                    messages,
                                    files,
                                    null,
                                    List.of("-d", folder.toString(), "-proc:none"),
                                    null,
                                    files.getJavaFileObjects(source.toFile()))
                            .call();
            if (!compiled) {
                throw new AssertionError("the sample does not compile: " + messages + sample);
            }
        }
    }

    private static String lines(String sample, boolean imports) {
        return Stream.of(sample.split("\n"))
                .filter(line -> line.startsWith(IMPORT) == imports)
                .collect(Collectors.joining("\n"));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(file);
            }
        }
    }
}

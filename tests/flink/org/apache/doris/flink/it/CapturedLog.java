package org.apache.doris.flink.it;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Everything that the connector logs while a test class runs, down to the finest level, and what
 * Flink logs.
 */
final class CapturedLog implements BeforeAllCallback, AfterAllCallback {

    private static final String CONNECTOR = "org.apache.doris.flink";
    private static final String FLINK = "org.apache.flink";

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private Appender appender;

    /** What was logged so far, each event with the messages of its exceptions. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        appender = new Appender(lines);
        appender.start();
        capture(CONNECTOR, Level.TRACE);
        capture(FLINK, Level.INFO);
        context().updateLoggers();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        // Reads the configuration anew.
        context().reconfigure();
    }

    private void capture(String name, Level level) {
        Configuration configuration = context().getConfiguration();
        LoggerConfig logger = new LoggerConfig(name, level, false);
        logger.addAppender(appender, level, null);
        configuration.removeLogger(name);
        configuration.addLogger(name, logger);
    }

    private static LoggerContext context() {
        return (LoggerContext) LogManager.getContext(false);
    }

    private static final class Appender extends AbstractAppender {

        private final Queue<String> lines;

        private Appender(Queue<String> lines) {
            super("captured", null, null, false, Property.EMPTY_ARRAY);
            this.lines = lines;
        }

        @Override
        public void append(LogEvent event) {
            StringBuilder line = new StringBuilder();
            line.append(event.getLevel())
                    .append(' ')
                    .append(event.getLoggerName())
                    .append(' ')
                    .append(event.getMessage().getFormattedMessage());
            for (Throwable at = event.getThrown(); at != null; at = at.getCause()) {
                line.append(" | ").append(at);
            }
            lines.add(line.toString());
        }
    }
}

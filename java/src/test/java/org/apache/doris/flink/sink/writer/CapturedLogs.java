package org.apache.doris.flink.sink.writer;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What one class, or the classes of a package, log from now on. */
public final class CapturedLogs implements AutoCloseable {

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    private CapturedLogs(String name) {
        AbstractAppender appender =
                new AbstractAppender("captured", null, null, false, Property.EMPTY_ARRAY) {
                    @Override
                    public void append(LogEvent event) {
                        lines.add(
                                event.getLevel() + " " + event.getMessage().getFormattedMessage());
                    }
                };
        appender.start();
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        Configuration configuration = context.getConfiguration();
        LoggerConfig logger = new LoggerConfig(name, Level.INFO, false);
        logger.addAppender(appender, Level.INFO, null);
        configuration.removeLogger(name);
        configuration.addLogger(name, logger);
        context.updateLoggers();
    }

    /** What a class logs. */
    public static CapturedLogs of(Class<?> logger) {
        return new CapturedLogs(logger.getName());
    }

    /** What the logger of this name logs. */
    public static CapturedLogs of(String logger) {
        return new CapturedLogs(logger);
    }

    /** Level and message of each event. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        ((LoggerContext) LogManager.getContext(false)).reconfigure();
    }
}

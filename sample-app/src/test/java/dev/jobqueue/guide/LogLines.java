package dev.jobqueue.guide;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What a class logs from now on, in a pattern. */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final PatternLayout layout = new PatternLayout();
    private final Logger logger;

    LogLines(Class<?> source, String pattern) {
        logger = (Logger) LoggerFactory.getLogger(source);
        layout.setContext(logger.getLoggerContext());
        layout.setPattern(pattern);
        layout.start();
        setContext(logger.getLoggerContext());
        start();
        logger.setLevel(Level.DEBUG);
        logger.addAppender(this);
    }

    List<String> all() {
        return lines;
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(layout.doLayout(event));
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(null);
    }
}

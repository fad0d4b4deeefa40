package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.read.ListAppender;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.config.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** Tests {@code logback.xml} with several environments, in a separate logging context. */
class LoggingTest {
  @TempDir Path dir;
  private final LoggerContext context = new LoggerContext();

  @AfterEach
  void stop() {
    context.stop();
  }

  private Logger configured(Map<String, String> environment) throws JoranException {
    environment.forEach(context::putProperty);
    context.setMDCAdapter(new LogbackMDCAdapter());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Logging.class.getResource("/logback.xml"));
    return context.getLogger(Logger.ROOT_LOGGER_NAME);
  }

  private ILoggingEvent event(String message, KeyValuePair... fields) {
    LoggingEvent event =
        new LoggingEvent(
            "", context.getLogger("io.sluice.X"), Level.INFO, message, null, new Object[0]);
    for (KeyValuePair field : fields) {
      event.addKeyValuePair(field);
    }
    return event;
  }

  private LoggingEvent failure(String logger, Throwable thrown) {
    return new LoggingEvent(
        "", context.getLogger(logger), Level.WARN, "failed", thrown, new Object[0]);
  }

  private static String line(Logger root, String appender, ILoggingEvent event) {
    ConsoleAppender<ILoggingEvent> console =
        (ConsoleAppender<ILoggingEvent>) root.getAppender(appender);
    return new String(console.getEncoder().encode(event), StandardCharsets.UTF_8);
  }

  @Test
  void aLineOfTextEndsWithTheFields() throws Exception {
    Logger root = configured(Map.of());

    String line =
        line(
            root,
            "text",
            event(
                "shuffle gone",
                new KeyValuePair("application", "app-1"),
                new KeyValuePair("shuffle", 7),
                new KeyValuePair("reason", "user \"x\"\nhas left")));

    assertThat(line)
        .contains("INFO  X [")
        .endsWith(
            " shuffle gone application=app-1 shuffle=7 reason=\"user \\\"x\\\"\\u000ahas left\"\n");
    assertThat(line(root, "text", event("plain"))).endsWith(" plain\n");
  }

  @Test
  void userNamesOfCompaniesNeedNoQuotes() throws Exception {
    Logger root = configured(Map.of());

    String line =
        line(root, "text", event("x", new KeyValuePair("application", "svc+a$1@CORP.X~app-1")));

    assertThat(line).endsWith(" x application=svc+a$1@CORP.X~app-1\n");
  }

  @Test
  void aMessageOfTextStaysOnItsLine() throws Exception {
    Logger root = configured(Map.of());

    String line =
        line(root, "text", event("denied x\"\r\n2026-11-22 INFO audit\u2028forged\u2029\u001b[2J"));

    assertThat(line)
        .endsWith(" denied x\"\\r\\n2026-11-22 INFO audit\\u2028forged\\u2029\\u001b[2J\n");
    assertThat(line.strip().lines()).hasSize(1);
  }

  @Test
  void linesOfAStackTraceCannotForgeLogLines() throws Exception {
    Logger root = configured(Map.of());
    LoggingEvent event =
        failure(
            "io.sluice.X",
            new IllegalStateException(
                "x\n2026-11-22 INFO forged\r2026-11-22 INFO forged",
                new IllegalArgumentException("y\n\n2026-11-22 INFO forged")));

    String text = line(root, "text", event);

    List<String> lines = text.lines().toList();
    assertThat(lines.get(0)).endsWith(" failed");
    assertThat(lines.get(1)).isEqualTo("java.lang.IllegalStateException: x");
    assertThat(lines.subList(2, lines.size()))
        .contains("\t2026-11-22 INFO forged 2026-11-22 INFO forged")
        .contains("\tCaused by: java.lang.IllegalArgumentException: y")
        .allMatch(line -> line.isEmpty() || line.startsWith("\t"));
  }

  @Test
  void aFaultOfAPeerThatALibraryLogsHasNoStackTrace() throws Exception {
    Logger root = configured(Map.of());
    LoggingEvent event =
        failure(
            "io.grpc.netty.NettyServerHandler",
            Http2Exception.streamError(65, Http2Error.REFUSED_STREAM, "too many\nstreams"));

    List<String> lines = line(root, "text", event).lines().toList();

    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).endsWith(" failed");
    assertThat(lines.get(1)).startsWith("io.netty.handler.codec.http2.").endsWith("too many");
  }

  @Test
  void anUnexpectedFailureThatALibraryLogsHasAStackTrace() throws Exception {
    Logger root = configured(Map.of());
    LoggingEvent event =
        failure("io.netty.channel.DefaultChannelPipeline", new IllegalStateException("bug"));

    assertThat(line(root, "text", event))
        .contains("IllegalStateException: bug")
        .contains("\tat " + LoggingTest.class.getName());
  }

  @Test
  void limitsLibrariesToOneLinePerSecond() throws Exception {
    Logger root = configured(Map.of());
    ListAppender<ILoggingEvent> written = new ListAppender<>();
    written.setContext(context);
    root.getAppender("text").getCopyOfAttachedFiltersList().forEach(written::addFilter);
    written.start();
    root.detachAndStopAllAppenders();
    root.addAppender(written);
    long beganNanos = System.nanoTime();

    for (int i = 0; i < 10_000; i++) {
      context.getLogger("io.grpc.netty.NettyServerStream").warn("bad message");
      context.getLogger("io.grpc.netty.NettyServerHandler").info("not a warning");
    }
    context.getLogger("io.netty.channel.X").warn("another");
    context.getLogger("io.sluice.X").warn("ours");
    context.getLogger("io.sluice.X").warn("ours");

    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos);
    assertThat(written.list)
        .filteredOn(event -> event.getMessage().equals("bad message"))
        .hasSizeBetween(1, (int) seconds + 1);
    assertThat(written.list)
        .extracting(ILoggingEvent::getMessage)
        .contains("another")
        .doesNotContain("not a warning");
    assertThat(written.list).filteredOn(event -> event.getMessage().equals("ours")).hasSize(2);
  }

  @Test
  void forwardsJavaUtilLogging() {
    Logger logger = (Logger) LoggerFactory.getLogger("io.grpc.Some");
    ListAppender<ILoggingEvent> written = new ListAppender<>();
    written.start();
    logger.addAppender(written);
    LogRecord record = new LogRecord(java.util.logging.Level.WARNING, "a\n{0}");
    record.setLoggerName("io.grpc.Some");
    record.setParameters(new Object[] {"b".repeat(1_000)});
    record.setThrown(new IllegalStateException("cause"));
    try {
      new JavaLogging().publish(record);
    } finally {
      logger.detachAppender(written);
    }

    ILoggingEvent event = written.list.get(0);
    assertThat(event.getLevel()).isEqualTo(Level.WARN);
    assertThat(event.getFormattedMessage()).startsWith("a bbb").hasSize(500);
    assertThat(event.getThrowableProxy().getMessage()).isEqualTo("cause");
  }

  @Test
  void aLineOfJsonHasAFieldForEveryKey() throws Exception {
    Logger root = configured(Map.of("SLUICE_LOG_FORMAT", "json"));

    String line =
        line(
            root,
            "json",
            event(
                "shuffle\ngone",
                new KeyValuePair("application", "app-1"),
                new KeyValuePair("shuffle", 7)));

    assertThat(line.strip().lines()).hasSize(1);
    JsonObject fields = JsonParser.parseString(line).getAsJsonObject();
    assertThat(fields.get("message").getAsString()).isEqualTo("shuffle\ngone");
    assertThat(fields.get("level").getAsString()).isEqualTo("INFO");
    assertThat(fields.get("logger_name").getAsString()).isEqualTo("io.sluice.X");
    assertThat(fields.get("application").getAsString()).isEqualTo("app-1");
    assertThat(fields.get("shuffle").getAsInt()).isEqualTo(7);
    assertThat(fields.keySet()).contains("@timestamp", "thread_name").doesNotContain("@version");
    assertThat(root.getAppender("text")).isNull();
  }

  @Test
  void writesTheAuditLogOnlyToItsFile() throws Exception {
    Path file = dir.resolve("audit.log");
    Map<String, String> environment =
        Map.of("SLUICE_AUDIT_FILE", file.toString(), "SLUICE_LOG_FORMAT", "json");
    Logger root = configured(environment);
    Logging.check(root, environment);
    assertThat(context.getLogger(AuditLog.LOGGER).isAdditive()).isFalse();

    context.getLogger(AuditLog.LOGGER).atInfo().addKeyValue("application", "app-1").log("audit");
    context.stop();

    assertThat(Files.readAllLines(file)).hasSize(1);
    assertThat(Files.readString(file)).contains("\"application\":\"app-1\"");
  }

  @Test
  void writesTheAuditLogToTheMainLogWithoutAFile() throws Exception {
    configured(Map.of());

    assertThat(context.getLogger(AuditLog.LOGGER).isAdditive()).isTrue();
    assertThat(context.getLogger(AuditLog.LOGGER).iteratorForAppenders()).isExhausted();
  }

  @ParameterizedTest
  @ValueSource(strings = {"xml", ""})
  void refusesAnUnknownFormat(String format) throws Exception {
    Map<String, String> environment = Map.of("SLUICE_LOG_FORMAT", format);
    Logger root = configured(environment);

    assertThatThrownBy(() -> Logging.check(root, environment))
        .isInstanceOf(ConfigException.class)
        .hasMessage("SLUICE_LOG_FORMAT: expected text or json, found \"" + format + "\"");
  }

  @Test
  void refusesAnAuditFileThatCannotBeWritten() throws IOException, JoranException {
    Path blocked = Files.createFile(dir.resolve("a-file")).resolve("audit.log");
    Map<String, String> environment = Map.of("SLUICE_AUDIT_FILE", blocked.toString());
    Logger root = configured(environment);

    assertThatThrownBy(() -> Logging.check(root, environment))
        .isInstanceOf(ConfigException.class)
        .hasMessage("SLUICE_AUDIT_FILE: \"" + blocked + "\" cannot be opened for writing");
  }
}

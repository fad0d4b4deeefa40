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
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.sluice.common.audit.AuditLog;
import io.sluice.common.config.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.KeyValuePair;

/** What {@code logback.xml} makes of the environment, in a logging context of its own. */
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
  void theAuditLogGoesToItsFileAlone() throws Exception {
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
  void withoutAFileTheAuditLogGoesWhereEverythingGoes() throws Exception {
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

package io.sluice.client.coordinator;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.client.ClientConfig;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.error.StatusCode;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientConfigurationRequest;
import io.sluice.proto.ClientSetting;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of jobs that the operator defines, and that a coordinator serves to a driver before it
 * registers. Settings of the job take precedence, unless the operator forces a setting. Immutable.
 */
public final class ServedSettings {
  public static final ServedSettings NONE = new ServedSettings(List.of(), 0);

  private static final Logger LOG = LoggerFactory.getLogger(ServedSettings.class);

  private static final String COMMON_PREFIX = "rss.";

  /** Security and coordinator settings are taken from the job only. */
  private static final List<String> FORBIDDEN_PREFIXES =
      List.of("rss.security.", "rss.coordinator.");

  private static final int MAX_SETTINGS = 1000;

  private final List<ClientSetting> settings;
  private final long waitedMs;

  private ServedSettings(List<ClientSetting> settings, long waitedMs) {
    this.settings = List.copyOf(settings);
    this.waitedMs = waitedMs;
  }

  /** Returns the allowed settings of a coordinator's reply. */
  static ServedSettings of(ClientConfigurationReply reply) {
    return new ServedSettings(
        reply.getSettingsList().stream()
            .limit(MAX_SETTINGS)
            .filter(ServedSettings::isAllowed)
            .toList(),
        0);
  }

  private static boolean isAllowed(ClientSetting setting) {
    String key = setting.getKey();
    int at = key.indexOf(COMMON_PREFIX);
    String common = at < 0 ? "" : key.substring(at);
    return !common.isEmpty() && FORBIDDEN_PREFIXES.stream().noneMatch(common::startsWith);
  }

  /**
   * Requests the settings, from each coordinator once. After any failure, the job continues with
   * its own settings and one log line.
   *
   * @param user operating-system user of the job
   * @param environment environment variables, which may contain the user's secret
   */
  public static ServedSettings fetch(
      ClientConfig config, String user, Map<String, String> environment, LongSupplier nanoTime) {
    // A coordinator needs no leader for its reply.
    CoordinatorClientConfig coordinator =
        config.coordinator().withStart(config.coordinator().startConnectMs());
    if (coordinator.quorum().isEmpty() || !coordinator.servedSettings()) {
      return NONE;
    }
    ClientTls tls = ClientTls.of(config.security().tls(), nanoTime);
    if (tls.problem().isPresent()) {
      // The registration reports the problem.
      return NONE;
    }
    long startNanos = nanoTime.getAsLong();
    try (CoordinatorClient coordinators =
        new CoordinatorClient(
            coordinator,
            ClientIdentity.ofDriver(
                    config.security(), user, environment, new ApplicationCredentials())
                .userProofs(),
            DriverEnvironment.of(tls, nanoTime))) {
      ClientConfigurationReply reply =
          coordinators.clientConfiguration(
              ClientConfigurationRequest.newBuilder().setUser(user).build());
      if (StatusCode.of(reply.getStatus()) != StatusCode.OK) {
        LOG.info("no settings received from a coordinator reason={}", reply.getMessage());
        return NONE;
      }
      return of(reply);
    } catch (IOException e) {
      LOG.info("no settings received from a coordinator reason={}", e.getMessage());
      return new ServedSettings(
          List.of(), TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startNanos));
    }
  }

  /** Time for which {@link #fetch} waited without a reply; the registration waits less then. */
  public long waitedMs() {
    return waitedMs;
  }

  public boolean isEmpty() {
    return settings.isEmpty();
  }

  /**
   * Returns the settings to add to or replace in the configuration of a job.
   *
   * @param enginePrefix prefix such as {@code spark.}; settings of this engine replace common ones,
   *     and those of other engines are ignored
   * @param own settings of the job, by full name
   */
  public Map<String, String> changes(String enginePrefix, Map<String, String> own) {
    Map<String, String> changes = new LinkedHashMap<>();
    add(false, enginePrefix, changes);
    changes.keySet().removeAll(own.keySet());
    add(true, enginePrefix, changes);
    changes.entrySet().removeIf(entry -> entry.getValue().equals(own.get(entry.getKey())));
    return changes;
  }

  private void add(boolean forced, String enginePrefix, Map<String, String> changes) {
    for (String prefix : List.of("", enginePrefix)) {
      for (ClientSetting setting : settings) {
        if (setting.getForced() == forced && setting.getKey().startsWith(prefix + COMMON_PREFIX)) {
          String common = setting.getKey().substring(prefix.length());
          changes.put(enginePrefix + common, setting.getValue());
        }
      }
    }
  }

  /** Encodes the settings for another process, which reads them with {@link #fromText}. */
  public String toText() {
    return Base64.getEncoder()
        .encodeToString(
            ClientConfigurationReply.newBuilder().addAllSettings(settings).build().toByteArray());
  }

  /**
   * Decodes the text of {@link #toText}.
   *
   * @param text encoded settings; null: none
   */
  public static ServedSettings fromText(String text) {
    if (text == null) {
      return NONE;
    }
    try {
      return of(ClientConfigurationReply.parseFrom(Base64.getDecoder().decode(text)));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // Without the text: it is long, and settings may be confidential.
      throw new IllegalArgumentException(
          "malformed settings from the coordinator, characters=" + text.length(), e);
    }
  }
}

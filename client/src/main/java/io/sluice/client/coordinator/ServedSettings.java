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
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the operator wants jobs to be configured with, as a coordinator gives it to a driver before
 * that registers. What the job says itself holds, unless the operator has forced a setting.
 * Immutable.
 */
public final class ServedSettings {
  public static final ServedSettings NONE = new ServedSettings(List.of());

  private static final Logger LOG = LoggerFactory.getLogger(ServedSettings.class);

  private static final String COMMON = "rss.";

  /** Who may be trusted, and which coordinators there are, only the job can say. */
  private static final List<String> NEVER = List.of("rss.security.", "rss.coordinator.");

  private static final int MOST = 1000;

  /** A job should not begin late for this. */
  private static final long LONGEST_CALL_MS = 3_000;

  private final List<ClientSetting> settings;

  private ServedSettings(List<ClientSetting> settings) {
    this.settings = List.copyOf(settings);
  }

  /** Of a coordinator's reply; what no coordinator may say is left out. */
  static ServedSettings of(ClientConfigurationReply reply) {
    return new ServedSettings(
        reply.getSettingsList().stream().limit(MOST).filter(ServedSettings::isAllowed).toList());
  }

  private static boolean isAllowed(ClientSetting setting) {
    String key = setting.getKey();
    int at = key.indexOf(COMMON);
    String common = at < 0 ? "" : key.substring(at);
    return !common.isEmpty() && NEVER.stream().noneMatch(common::startsWith);
  }

  /**
   * Asks each coordinator once. Whatever goes wrong, the job goes on with its own settings, with
   * one line in the log.
   *
   * @param user operating-system user that the job runs as
   * @param environment where the user's secret may be
   */
  public static ServedSettings fetch(
      ClientConfig config, String user, Map<String, String> environment, LongSupplier nanoTime) {
    CoordinatorClientConfig how = config.coordinator();
    if (how.quorum().isEmpty() || !how.servedSettings()) {
      return NONE;
    }
    ClientTls tls = ClientTls.of(config.security().tls(), nanoTime);
    if (tls.problem().isPresent()) {
      // Registration says so.
      return NONE;
    }
    try (CoordinatorClient coordinators =
        new CoordinatorClient(
            how.callingFor(Math.min(LONGEST_CALL_MS, how.callTimeoutMs())),
            ClientIdentity.ofDriver(
                    config.security(), user, environment, new ApplicationCredentials())
                .userProofs(),
            DriverEnvironment.of(tls, nanoTime))) {
      ClientConfigurationReply reply =
          coordinators.clientConfiguration(
              ClientConfigurationRequest.newBuilder().setUser(user).build());
      if (StatusCode.of(reply.getStatus()) != StatusCode.OK) {
        LOG.info("no settings from the coordinator reason={}", reply.getMessage());
        return NONE;
      }
      return of(reply);
    } catch (IOException e) {
      LOG.info("no settings from the coordinator reason={}", e.getMessage());
      return NONE;
    }
  }

  public boolean isEmpty() {
    return settings.isEmpty();
  }

  /**
   * What is to be set for a job, beyond and instead of what it says itself.
   *
   * @param enginePrefix such as {@code spark.}; settings of other engines are left out, and those
   *     of this one outweigh common ones
   * @param own what the job says, by full name
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
        if (setting.getForced() == forced && setting.getKey().startsWith(prefix + COMMON)) {
          String common = setting.getKey().substring(prefix.length());
          changes.put(enginePrefix + common, setting.getValue());
        }
      }
    }
  }

  /** For a process that cannot ask itself; {@link #fromText} reads it. */
  public String toText() {
    return Base64.getEncoder()
        .encodeToString(
            ClientConfigurationReply.newBuilder().addAllSettings(settings).build().toByteArray());
  }

  /**
   * What {@link #toText} has written.
   *
   * @param text null: none
   */
  public static ServedSettings fromText(String text) {
    if (text == null) {
      return NONE;
    }
    try {
      return of(ClientConfigurationReply.parseFrom(Base64.getDecoder().decode(text)));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // Not the text: it is as long as all settings, and who reads the log may not know them.
      throw new IllegalArgumentException(
          "settings of the coordinator are damaged, " + text.length() + " characters", e);
    }
  }
}

package io.sluice.coordinator.service;

import io.sluice.proto.ClientSetting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Client settings that drivers fetch. Immutable. The file has lines {@code KEY VALUE}, which apply
 * unless the job sets the key, and {@code force KEY VALUE}, which override the job. Lines that
 * begin with {@code #} are comments. Clients, not the coordinator, check whether a key exists,
 * because they may have different versions.
 */
public record ClientSettings(List<ClientSetting> all) {
  public static final ClientSettings NONE = new ClientSettings(List.of());

  static final int MAX_SETTINGS = 1000;
  private static final int MAX_VALUE_LENGTH = 4096;
  private static final String FORCE = "force";

  private static final Pattern LINE =
      Pattern.compile("(?:(force)\\s++)?([^\\s=]++)(?:\\s*+=|\\s)\\s*+(\\S.*)");
  private static final Pattern KEY =
      Pattern.compile("(?:spark\\.|mapreduce\\.)?rss\\.([A-Za-z0-9._-]{1,200})");
  private static final Pattern CONTROL = Pattern.compile(".*\\p{Cc}.*");

  public ClientSettings {
    all = List.copyOf(all);
  }

  /**
   * @throws IllegalArgumentException if a line is invalid; the message has the line and the
   *     expected form
   */
  public static ClientSettings parse(String text) {
    Map<String, ClientSetting> settings = new LinkedHashMap<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String content = line.strip();
      if (content.isEmpty() || content.startsWith("#")) {
        continue;
      }
      Matcher matcher = LINE.matcher(content);
      if (!matcher.matches()) {
        throw problem(number, content, "expected \"KEY VALUE\" or \"force KEY VALUE\"");
      }
      ClientSetting setting = setting(number, matcher);
      if (settings.put(setting.getKey(), setting) != null) {
        throw problem(number, setting.getKey(), "duplicate key");
      }
    }
    if (settings.size() > MAX_SETTINGS) {
      throw new IllegalArgumentException(
          "expected at most " + MAX_SETTINGS + " settings, found " + settings.size());
    }
    return new ClientSettings(new ArrayList<>(settings.values()));
  }

  private static ClientSetting setting(int number, Matcher line) {
    String key = line.group(2);
    String value = line.group(3);
    Matcher name = KEY.matcher(key);
    if (!name.matches()) {
      throw problem(number, key, "expected a client key: spark.rss.…, mapreduce.rss.… or rss.…");
    }
    String rest = name.group(1);
    if (rest.startsWith("security.") || rest.startsWith("coordinator.")) {
      throw problem(
          number, key, "security and coordinator keys can be set by the job only: remove the line");
    }
    if (value.length() > MAX_VALUE_LENGTH || CONTROL.matcher(value).matches()) {
      throw problem(
          number, key, "expected a value of at most " + MAX_VALUE_LENGTH + " printable characters");
    }
    return ClientSetting.newBuilder()
        .setKey(key)
        .setValue(value)
        .setForced(FORCE.equals(line.group(1)))
        .build();
  }

  private static IllegalArgumentException problem(int line, String text, String reason) {
    return new IllegalArgumentException("line " + line + " \"" + text + "\": " + reason);
  }
}

package io.sluice.coordinator.service;

import io.sluice.proto.ClientSetting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings for jobs. Immutable. A file of lines {@code KEY VALUE}, or {@code force KEY VALUE} for
 * what holds whatever the job says; a line that begins with {@code #} is a remark. Whether a client
 * knows the key is the client's business: clients are of many versions.
 */
public record ClientSettings(List<ClientSetting> all) {
  public static final ClientSettings NONE = new ClientSettings(List.of());

  static final int MOST = 1000;
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
   * @throws IllegalArgumentException which line is wrong, and what would be right
   */
  public static ClientSettings parse(String text) {
    Map<String, ClientSetting> settings = new LinkedHashMap<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String said = line.strip();
      if (said.isEmpty() || said.startsWith("#")) {
        continue;
      }
      Matcher matcher = LINE.matcher(said);
      if (!matcher.matches()) {
        throw problem(number, said, "expected \"KEY VALUE\" or \"force KEY VALUE\"");
      }
      ClientSetting setting = setting(number, matcher);
      if (settings.put(setting.getKey(), setting) != null) {
        throw problem(number, setting.getKey(), "is there twice");
      }
    }
    if (settings.size() > MOST) {
      throw new IllegalArgumentException(
          "has " + settings.size() + " settings, at most " + MOST + " are given to clients");
    }
    return new ClientSettings(new ArrayList<>(settings.values()));
  }

  private static ClientSetting setting(int number, Matcher line) {
    String key = line.group(2);
    String value = line.group(3);
    Matcher name = KEY.matcher(key);
    if (!name.matches()) {
      throw problem(
          number, key, "expected a key of clients: spark.rss.…, mapreduce.rss.… or rss.…");
    }
    String rest = name.group(1);
    if (rest.startsWith("security.") || rest.startsWith("coordinator.")) {
      throw problem(
          number, key, "who may be trusted, and which coordinators there are, only a job can say");
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

  private static IllegalArgumentException problem(int line, String what, String why) {
    return new IllegalArgumentException("line " + line + " \"" + what + "\": " + why);
  }
}

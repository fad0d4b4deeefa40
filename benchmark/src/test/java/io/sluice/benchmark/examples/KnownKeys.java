package io.sluice.benchmark.examples;

import io.sluice.client.ClientConfig;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The configuration keys of coordinator, server and jobs. */
final class KnownKeys {
  private static final Pattern KEY =
      Pattern.compile("(?<![\\w./-])((?:spark\\.|mapreduce\\.)?rss\\.[\\w.-]*\\w)");
  private static final List<ConfigSchema> OF_PROCESSES =
      List.of(CoordinatorConfig.SCHEMA, ServerConfig.SCHEMA);

  private KnownKeys() {}

  /** Everything in a text that looks like a key. */
  static List<String> in(String text) {
    return KEY.matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
  }

  /** Whether a process or a job has this key, and it has an effect. */
  static boolean has(String key) {
    if (key.startsWith("rss.client.")) {
      return isIn(ClientConfig.SCHEMA, key);
    }
    return key.startsWith("rss.")
        ? OF_PROCESSES.stream().anyMatch(schema -> isIn(schema, key))
        : isIn(ClientConfig.SCHEMA, withoutEngine(key));
  }

  /** Whether a key of a component, or one that it passes on, can have a value. */
  static boolean accepts(String key, String value) {
    String name = key.startsWith("rss.") ? key : withoutEngine(key);
    return Stream.of(CoordinatorConfig.SCHEMA, ServerConfig.SCHEMA, ClientConfig.SCHEMA)
        .flatMap(schema -> schema.keys().stream())
        .filter(known -> known.name().equals(name))
        .allMatch(known -> isValue(known, value));
  }

  private static boolean isValue(ConfigKey<?> key, String value) {
    try {
      key.parse(value);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Whether it is a key that is accepted without an effect, or refused by name. */
  static boolean isObsolete(String key) {
    String name = withoutEngine(key);
    return Stream.of(CoordinatorConfig.SCHEMA, ServerConfig.SCHEMA, ClientConfig.SCHEMA)
        .flatMap(KnownKeys::obsolete)
        .anyMatch(
            known ->
                known.endsWith("*")
                    ? name.startsWith(known.substring(0, known.length() - 1))
                    : name.equals(known));
  }

  private static String withoutEngine(String key) {
    return key.substring(key.indexOf("rss."));
  }

  private static boolean isIn(ConfigSchema schema, String key) {
    return schema.keys().stream().map(ConfigKey::name).anyMatch(key::equals)
        || schema.passedOn().stream()
            .map(ConfigSchema.Family::prefix)
            .anyMatch(prefix -> key.startsWith(prefix) && key.length() > prefix.length());
  }

  private static Stream<String> obsolete(ConfigSchema schema) {
    List<String> names = new ArrayList<>();
    schema.keys().forEach(key -> names.addAll(key.deprecatedNames()));
    schema.ignored().forEach(one -> names.add(one.name()));
    schema.removed().forEach(one -> names.add(one.name()));
    return names.stream();
  }
}

package io.sluice.common.config;

import io.sluice.common.config.ConfigSchema.Family;
import io.sluice.common.config.ConfigSchema.Ignored;
import io.sluice.common.config.ConfigSchema.Removed;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the values of a schema from files, options and maps. A later source overrides an earlier
 * one. Only {@link #read} throws; it reports every problem of every source at once.
 *
 * <p>A file has one {@code key value} or {@code key=value} per line; a line that begins with {@code
 * #} is a comment. Belongs to one thread.
 */
public final class ConfigReader {
  private static final String RSS = "rss.";

  private final ConfigSchema schema;
  private final List<String> problems = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private final Map<ConfigKey<?>, SourceValue> sourceValues = new LinkedHashMap<>();
  private final Map<Family, Map<String, String>> passedOn = new LinkedHashMap<>();
  private String prefix = "";

  /**
   * A value before it is parsed.
   *
   * @param source file or option that set it; distinguishes "set twice" from "overridden"
   * @param where {@code file:line} or the option
   * @param asName the name used in the source, possibly a deprecated one
   */
  private record SourceValue(String source, String where, String asName, String text) {}

  private ConfigReader(ConfigSchema schema) {
    this.schema = schema;
  }

  public static ConfigReader of(ConfigSchema schema) {
    return new ConfigReader(schema);
  }

  /**
   * Reads an engine's configuration: only entries that begin with {@code prefix + "rss."} are read.
   * An unknown key causes a notice instead of a problem, because a job should not fail for it. Call
   * this method before adding sources.
   *
   * @param enginePrefix such as {@code spark.}
   */
  public ConfigReader enginePrefix(String enginePrefix) {
    this.prefix = enginePrefix;
    return this;
  }

  /** Adds the lines of a file. */
  public ConfigReader file(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (CharacterCodingException notText) {
      problems.add(file + ": is not UTF-8 text");
      return this;
    } catch (IOException unreadable) {
      problems.add(
          Files.isDirectory(file)
              ? file + ": is a directory; expected a file of \"key value\" lines"
              : Files.exists(file)
                  ? file + ": cannot be read; check its permissions"
                  : file + ": no such file; expected a file of \"key value\" lines");
      return this;
    }
    for (int i = 0; i < lines.size(); i++) {
      line(file.toString(), file + ":" + (i + 1), lines.get(i));
    }
    return this;
  }

  private void line(String source, String where, String raw) {
    String line = raw.replace("\uFEFF", "").strip();
    if (line.isEmpty() || line.startsWith("#")) {
      return;
    }
    int end = 0;
    while (end < line.length() && line.charAt(end) != '=' && !isBlank(line.charAt(end))) {
      end++;
    }
    String rest = line.substring(end).strip();
    boolean separated = !rest.isEmpty();
    String value = rest.startsWith("=") ? rest.substring(1).strip() : rest;
    if (end == 0 || !separated) {
      problems.add(where + ": \"" + line.substring(0, end) + "\" has no value; write key value");
      return;
    }
    add(source, where, line.substring(0, end), value);
  }

  private static boolean isBlank(char c) {
    return Character.isWhitespace(c);
  }

  /**
   * Adds {@code key=value} options of a command line.
   *
   * @param option name of the option for messages: {@code -D}
   */
  public ConfigReader options(String option, List<String> assignments) {
    for (String assignment : assignments) {
      int equals = assignment.indexOf('=');
      if (equals <= 0) {
        problems.add(option + " " + assignment + ": expected key=value");
      } else {
        String key = assignment.substring(0, equals).strip();
        add(option, option + " " + key, key, assignment.substring(equals + 1).strip());
      }
    }
    return this;
  }

  /**
   * Adds the entries of a map.
   *
   * @param source name of the source for messages
   */
  public ConfigReader values(String source, Map<String, String> values) {
    new TreeMap<>(values)
        .forEach(
            (key, value) -> {
              if (prefix.isEmpty() || key.startsWith(prefix + RSS)) {
                add(source, source, key, value.strip());
              }
            });
    return this;
  }

  private void add(String source, String where, String fullName, String text) {
    if (!fullName.startsWith(prefix + RSS)) {
      problems.add(where + ": unknown key " + fullName + "; keys begin with " + prefix + RSS);
      return;
    }
    String name = fullName.substring(prefix.length());
    Object meaning = schema.meaningOf(name);
    if (meaning == null) {
      unknown(where, name);
    } else if (meaning instanceof Ignored ignored) {
      notices.add(where + ": " + fullName + " has no effect: " + ignored.notice());
    } else if (meaning instanceof Removed removed) {
      problems.add(where + ": " + fullName + " is no longer supported; " + removed.instead());
    } else if (meaning instanceof Family family) {
      passedOn
          .computeIfAbsent(family, unused -> new TreeMap<>())
          .put(name.substring(family.prefix().length()), text);
    } else {
      known((ConfigKey<?>) meaning, new SourceValue(source, where, name, text));
    }
  }

  private void unknown(String where, String name) {
    String line =
        where
            + ": unknown key "
            + prefix
            + name
            + schema
                .nearest(name)
                .map(near -> "; did you mean " + prefix + near + "?")
                .orElse("; for the keys of the " + schema.name() + " see docs/configuration.md");
    (prefix.isEmpty() ? problems : notices).add(line);
  }

  private void known(ConfigKey<?> key, SourceValue value) {
    boolean deprecated = !value.asName.equals(key.name());
    if (deprecated) {
      notices.add(
          value.where
              + ": "
              + prefix
              + value.asName
              + " is deprecated; write "
              + prefix
              + key.name());
    }
    SourceValue earlier = sourceValues.get(key);
    if (earlier == null || !earlier.source.equals(value.source)) {
      sourceValues.put(key, value);
      return;
    }
    // Set twice in one source: the current name wins over a deprecated one, else the last value
    // wins.
    boolean keepEarlier = deprecated && earlier.asName.equals(key.name());
    SourceValue used = keepEarlier ? earlier : value;
    sourceValues.put(key, used);
    notices.add(
        value.where
            + ": "
            + prefix
            + key.name()
            + " is set more than once; using the value of "
            + (used.where.equals(value.where) ? prefix + used.asName + " there" : used.where));
  }

  /**
   * Parses and checks all added values.
   *
   * @throws ConfigException with every problem, one per line
   */
  public ConfigSet read() {
    List<String> found = new ArrayList<>(problems);
    Map<ConfigKey<?>, Object> values = new LinkedHashMap<>();
    Map<ConfigKey<?>, String> sources = new HashMap<>();
    sourceValues.forEach(
        (key, value) -> {
          try {
            values.put(key, key.parse(value.text));
            sources.put(key, value.where);
          } catch (IllegalArgumentException wrong) {
            found.add(value.where + ": " + prefix + value.asName + ": " + wrong.getMessage());
          }
        });
    for (ConfigKey<?> key : schema.keys()) {
      if (key.isRequired() && !sourceValues.containsKey(key)) {
        found.add(
            prefix + key.name() + " is not set and has no default; expected " + key.valueForm());
      }
    }
    ConfigSet set = new ConfigSet(schema, values, sources, passedOn, notices);
    if (found.isEmpty()) {
      for (ConfigSchema.Rule rule : schema.rules()) {
        rule.apply(set).ifPresent(found::add);
      }
    }
    if (!found.isEmpty()) {
      throw new ConfigException(found);
    }
    return set;
  }
}

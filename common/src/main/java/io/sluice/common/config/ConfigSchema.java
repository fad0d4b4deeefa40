package io.sluice.common.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * All keys of one component: keys with an effect, keys that are accepted without effect, and
 * removed keys, which are refused by name. Immutable.
 */
public final class ConfigSchema {

  /**
   * A key without effect, accepted with one notice.
   *
   * @param name a key, or a family of keys that ends in {@code *}
   * @param why reason that the key has no effect
   * @param replacement key or setting to use instead; empty if none is needed
   */
  public record Ignored(String name, String why, String replacement) {
    String notice() {
      return why + (replacement.isEmpty() ? "" : "; use " + replacement);
    }
  }

  /**
   * A removed key; setting it is an error.
   *
   * @param instead the action to take, such as "set rss.x"
   */
  public record Removed(String name, String instead) {}

  /**
   * Keys that are passed on to a library, without the family's prefix. Their values are never
   * printed.
   *
   * @param prefix of the names, which ends in a dot
   */
  public record Family(String prefix, String doc) {
    public Family {
      if (!prefix.startsWith("rss.") || !prefix.endsWith(".")) {
        throw new IllegalArgumentException(
            "the prefix of a family must be rss.area., not " + prefix);
      }
    }
  }

  /** A condition over several keys; returns the problem if it is not met. */
  public interface Rule extends Function<ConfigSet, Optional<String>> {}

  private static final Pattern KEY = Pattern.compile("rss\\.\\S+");

  private final String name;
  private final String title;
  private final String intro;
  private final String shownPrefix;
  private final List<String> first;
  private final List<ConfigKey<?>> keys;
  private final List<Ignored> ignored;
  private final List<Removed> removed;
  private final List<Rule> rules;
  private final List<Family> passedOn;
  private final Map<String, Object> byName = new LinkedHashMap<>();
  private final List<Ignored> families = new ArrayList<>();

  private ConfigSchema(Builder from) {
    this.name = from.name;
    this.title = from.title;
    this.intro = from.intro;
    this.shownPrefix = from.shownPrefix;
    this.first = List.copyOf(from.first);
    this.keys = List.copyOf(from.keys);
    this.ignored = List.copyOf(from.ignored);
    this.removed = List.copyOf(from.removed);
    this.rules = List.copyOf(from.rules);
    this.passedOn = List.copyOf(from.passedOn);
    for (ConfigKey<?> key : keys) {
      add(key.name(), key);
      key.deprecatedNames().forEach(earlier -> add(earlier, key));
    }
    for (Ignored one : ignored) {
      if (one.name.endsWith("*")) {
        families.add(one);
      } else {
        add(one.name, one);
      }
    }
    removed.forEach(one -> add(one.name, one));
    ignored.forEach(this::checkReplacement);
    first.forEach(this::checkFirst);
  }

  private void checkFirst(String keyName) {
    if (!(byName.get(keyName) instanceof ConfigKey)) {
      throw new IllegalArgumentException(
          "schema " + name + ": " + keyName + " is to be set first, but is not a key");
    }
  }

  private void checkReplacement(Ignored one) {
    if (KEY.matcher(one.replacement).matches()
        && !(byName.get(one.replacement) instanceof ConfigKey)) {
      throw new IllegalArgumentException(
          "schema "
              + name
              + ": "
              + one.name
              + " has a replacement that is not a key: "
              + one.replacement);
    }
  }

  private void add(String keyName, Object meaning) {
    if (byName.put(keyName, meaning) != null) {
      throw new IllegalArgumentException("schema " + name + " declares " + keyName + " twice");
    }
  }

  /**
   * Starts a schema.
   *
   * @param name short, for messages: {@code server}
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  public String name() {
    return name;
  }

  /** Heading of the documentation. */
  public String title() {
    return title;
  }

  /** Sentences below the heading; may be empty. */
  public String intro() {
    return intro;
  }

  /** Prefix of each name in the documentation, such as {@code spark.}; may be empty. */
  public String shownPrefix() {
    return shownPrefix;
  }

  /** Names of the keys that a new user sets first; may be empty. */
  public List<String> first() {
    return first;
  }

  /** In the order of declaration. */
  public List<ConfigKey<?>> keys() {
    return keys;
  }

  public List<Ignored> ignored() {
    return ignored;
  }

  public List<Removed> removed() {
    return removed;
  }

  /** Families of keys that are passed on to a library. */
  public List<Family> passedOn() {
    return passedOn;
  }

  List<Rule> rules() {
    return rules;
  }

  /** A ConfigKey, an Ignored, a Removed, or a Family; null if the key is unknown. */
  Object meaningOf(String keyName) {
    Object exact = byName.get(keyName);
    if (exact != null) {
      return exact;
    }
    for (Family family : passedOn) {
      if (keyName.startsWith(family.prefix) && keyName.length() > family.prefix.length()) {
        return family;
      }
    }
    for (Ignored family : families) {
      if (keyName.startsWith(family.name.substring(0, family.name.length() - 1))) {
        return family;
      }
    }
    return null;
  }

  boolean declares(ConfigKey<?> key) {
    return byName.get(key.name()) == key;
  }

  /** The known name most similar to {@code unknown}; empty if none is similar. */
  public Optional<String> nearest(String unknown) {
    return SpellingDistance.nearest(unknown, byName.keySet());
  }

  /** Collects a schema. Confined to one thread. */
  public static final class Builder {
    private final String name;
    private String title;
    private String intro = "";
    private String shownPrefix = "";
    private final List<String> first = new ArrayList<>();
    private final List<ConfigKey<?>> keys = new ArrayList<>();
    private final List<Ignored> ignored = new ArrayList<>();
    private final List<Removed> removed = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();
    private final List<Family> passedOn = new ArrayList<>();

    private Builder(String name) {
      this.name = name;
      this.title = name;
    }

    public Builder title(String text) {
      this.title = text;
      return this;
    }

    public Builder intro(String text) {
      this.intro = text;
      return this;
    }

    /** Prefix of every name in the documentation; has no effect on reading. */
    public Builder shownPrefix(String prefix) {
      this.shownPrefix = prefix;
      return this;
    }

    /** Names of the keys that a new user sets first, for the documentation. */
    public Builder first(String... keyNames) {
      first.addAll(List.of(keyNames));
      return this;
    }

    public Builder keys(ConfigKey<?>... more) {
      keys.addAll(List.of(more));
      return this;
    }

    public Builder keys(List<? extends ConfigKey<?>> more) {
      keys.addAll(more);
      return this;
    }

    /** A key, or a family ending in {@code *}, that is accepted with a notice. */
    public Builder ignored(String keyName, String why) {
      return ignored(keyName, why, "");
    }

    /** As {@link #ignored(String, String)}, with the key or setting to use instead. */
    public Builder ignored(String keyName, String why, String replacement) {
      ignored.add(new Ignored(keyName, why, replacement));
      return this;
    }

    /**
     * Adds the ignored keys of a resource. Each line has a key, the reason, and optionally a
     * replacement, separated by {@code |}; lines that begin with {@code #} are comments.
     *
     * @param resource name of a file beside the class {@code owner}
     */
    public Builder ignoredIn(Class<?> owner, String resource) {
      try (InputStream in = owner.getResourceAsStream(resource);
          BufferedReader lines =
              new BufferedReader(
                  new InputStreamReader(Objects.requireNonNull(in, resource), UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (!line.startsWith("#")) {
            ignored.add(parse(resource, line));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(resource, e);
      }
      return this;
    }

    private static Ignored parse(String resource, String line) {
      String[] parts = line.split(" \\| ", -1);
      if (parts.length < 2 || parts.length > 3) {
        throw new IllegalArgumentException(
            resource + ": expected \"key | why\" or \"key | why | replacement\", found: " + line);
      }
      return new Ignored(parts[0], parts[1], parts.length == 3 ? parts[2] : "");
    }

    /** A key that is refused by name. */
    public Builder removed(String keyName, String instead) {
      removed.add(new Removed(keyName, instead));
      return this;
    }

    /** Passes on a family of keys to a library, except keys that are declared individually. */
    public Builder passedOn(Family family) {
      passedOn.add(family);
      return this;
    }

    /** A condition over several keys, checked if every single value is valid. */
    public Builder rule(Rule rule) {
      rules.add(rule);
      return this;
    }

    /** The value of one key is less than that of another. */
    public <T extends Comparable<T>> Builder less(ConfigKey<T> low, ConfigKey<T> high) {
      return ordered(low, high, 0, "must be less than");
    }

    /** The value of one key is at most that of another. */
    public <T extends Comparable<T>> Builder atMost(ConfigKey<T> low, ConfigKey<T> high) {
      return ordered(low, high, 1, "must not be more than");
    }

    private <T extends Comparable<T>> Builder ordered(
        ConfigKey<T> low, ConfigKey<T> high, int below, String demand) {
      return rule(
          set ->
              set.get(low).compareTo(set.get(high)) < below
                  ? Optional.empty()
                  : Optional.of(shown(set, low) + " " + demand + " " + shown(set, high)));
    }

    private static <T> String shown(ConfigSet set, ConfigKey<T> key) {
      return key.name() + " (" + key.print(set.get(key)) + ")";
    }

    public ConfigSchema build() {
      return new ConfigSchema(this);
    }
  }
}

package io.sluice.common.auth;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The secret of a cluster: one key, or two while it is being changed. The first one signs, each
 * verifies. Known to coordinators and servers only. Immutable.
 *
 * <p>Text: one key a line (or, in an environment variable, after a comma), its id and at least 32
 * random bytes in Base64; {@code #} begins a comment line.
 */
public final class ClusterKeys {
  /** Least bytes of a key: as many as the HMAC has. */
  static final int LEAST_BYTES = 32;

  private static final int MOST_KEYS = 2;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,32}");

  private final List<Key> keys;

  /** One key. Never printed. */
  static final class Key {
    private final String id;
    private final byte[] secret;

    Key(String id, byte[] secret) {
      this.id = id;
      this.secret = secret;
    }

    String id() {
      return id;
    }

    byte[] secret() {
      return secret;
    }

    @Override
    public String toString() {
      return "key " + id;
    }
  }

  private ClusterKeys(List<Key> keys) {
    this.keys = List.copyOf(keys);
  }

  /**
   * Reads keys.
   *
   * @throws IllegalArgumentException what is wrong and what would be right, without any secret
   */
  public static ClusterKeys parse(String text) {
    List<Key> found = new ArrayList<>();
    int number = 0;
    for (String raw : text.split("[\n,]", -1)) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      found.add(key(line.split("\\s+"), number));
    }
    if (found.isEmpty() || found.size() > MOST_KEYS) {
      throw new IllegalArgumentException(
          found.size() + " keys; give one, or two while the secret is being changed");
    }
    if (found.size() == MOST_KEYS && found.get(0).id.equals(found.get(1).id)) {
      throw new IllegalArgumentException("two keys with id " + found.get(0).id);
    }
    return new ClusterKeys(found);
  }

  private static Key key(String[] words, int number) {
    if (words.length != 2 || !ID.matcher(words[0]).matches()) {
      throw new IllegalArgumentException(
          "line " + number + ": expected an id of letters and digits, a blank, Base64 of a key");
    }
    byte[] secret;
    try {
      secret = Base64.getDecoder().decode(words[1]);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "line "
              + number
              + ": key "
              + words[0]
              + " is not Base64; make one with"
              + " `openssl rand -base64 32`");
    }
    if (secret.length < LEAST_BYTES) {
      throw new IllegalArgumentException(
          "line "
              + number
              + ": key "
              + words[0]
              + " has "
              + secret.length
              + " bytes, expected at least "
              + LEAST_BYTES
              + "; make one with `openssl rand -base64 32`");
    }
    return new Key(words[0], secret);
  }

  Key signing() {
    return keys.get(0);
  }

  Optional<Key> find(String id) {
    return keys.stream().filter(key -> key.id.equals(id)).findFirst();
  }

  @Override
  public String toString() {
    return keys.toString();
  }
}

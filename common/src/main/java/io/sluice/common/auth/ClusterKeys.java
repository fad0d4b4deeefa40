package io.sluice.common.auth;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The secret of a cluster: one key, or two during a key change. The first key signs, both verify.
 * Only coordinators and servers know the secret. Immutable.
 *
 * <p>Text form: one key per line (in an environment variable also separated by commas), its id and
 * at least 32 random bytes in Base64; {@code #} begins a comment line.
 */
public final class ClusterKeys {
  /** Minimum length of a key in bytes: the length of the HMAC. */
  static final int MIN_BYTES = 32;

  private static final int MAX_KEYS = 2;
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
   * Parses keys.
   *
   * @throws IllegalArgumentException with the problem and the expected form, without any secret
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
    if (found.isEmpty() || found.size() > MAX_KEYS) {
      throw new IllegalArgumentException(
          found.size() + " keys; expected one, or two during a key change");
    }
    if (found.size() == MAX_KEYS && found.get(0).id.equals(found.get(1).id)) {
      throw new IllegalArgumentException("two keys with id " + found.get(0).id);
    }
    return new ClusterKeys(found);
  }

  private static Key key(String[] fields, int number) {
    if (fields.length != 2 || !ID.matcher(fields[0]).matches()) {
      throw new IllegalArgumentException(
          "line " + number + ": expected an id of letters and digits, a blank, Base64 of a key");
    }
    byte[] secret;
    try {
      secret = Base64.getDecoder().decode(fields[1]);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "line "
              + number
              + ": key "
              + fields[0]
              + " is not Base64; create one with"
              + " `openssl rand -base64 32`");
    }
    if (secret.length < MIN_BYTES) {
      throw new IllegalArgumentException(
          "line "
              + number
              + ": key "
              + fields[0]
              + " has "
              + secret.length
              + " bytes, expected at least "
              + MIN_BYTES
              + "; create one with `openssl rand -base64 32`");
    }
    return new Key(fields[0], secret);
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

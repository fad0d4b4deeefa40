package io.sluice.common.config;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Names of zones: availability zones, data centers or racks of servers and clients. */
public final class ZoneText {
  /** Environment variable with the zone of a process whose configuration names none. */
  public static final String ENVIRONMENT = "RSS_ZONE";

  /** Form of a name, for messages. */
  public static final String EXPECTED = "1 to 64 of [A-Za-z0-9._-]";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private ZoneText() {}

  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /**
   * The zone of a process; empty: not known.
   *
   * @param configured value of the configuration key
   * @param environment value of {@link #ENVIRONMENT}, or null
   * @throws ConfigException if the variable is set to another text than a name
   */
  public static String of(Optional<String> configured, String environment) {
    if (configured.isPresent()) {
      return configured.get();
    }
    if (environment == null || environment.isEmpty()) {
      return "";
    }
    if (!isName(environment)) {
      throw new ConfigException(
          List.of(
              ENVIRONMENT
                  + " in the environment: expected "
                  + EXPECTED
                  + ", found "
                  + environment));
    }
    return environment;
  }
}

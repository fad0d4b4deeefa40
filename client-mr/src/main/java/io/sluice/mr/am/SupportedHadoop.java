package io.sluice.mr.am;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The versions of Hadoop that the plugin runs on; {@code docs/support.md} has the same table. */
public final class SupportedHadoop {
  private static final int MAJOR = 3;
  private static final int OLDEST_MINOR = 3;

  /** The first two numbers of a version. */
  private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\D?.*");

  private SupportedHadoop() {}

  /**
   * Fails on an older version; accepts newer ones, and versions that it does not understand.
   *
   * @throws IllegalStateException with one line for the user
   */
  public static void check(String version) {
    Matcher numbers = VERSION.matcher(version);
    if (!numbers.matches()) {
      return;
    }
    int major = Integer.parseInt(numbers.group(1));
    int minor = Integer.parseInt(numbers.group(2));
    if (major < MAJOR || (major == MAJOR && minor < OLDEST_MINOR)) {
      throw new IllegalStateException(
          "sluice-client-mr.jar does not support Hadoop "
              + version
              + ", but Hadoop "
              + MAJOR
              + "."
              + OLDEST_MINOR
              + " and later: remove RssMRAppMaster from yarn.app.mapreduce.am.command-opts and the"
              + " other settings of Sluice from the job");
    }
  }
}

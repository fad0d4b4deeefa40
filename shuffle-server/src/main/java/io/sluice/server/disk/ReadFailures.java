package io.sluice.server.disk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The failed reads of one disk: how many there were lately, whether they concern one application
 * alone, and which files are to be read again once the disk has answered a probe. Not thread-safe.
 */
final class ReadFailures {
  /** Files that are remembered; the reads of others fail again. */
  private static final int MAX_FILES = 64;

  private final HealthConfig config;
  private final ErrorWindow recent;
  private final ErrorWindow unanswered;
  // One failure of each file.
  private final Map<String, FailedRead> toRepeat = new LinkedHashMap<>();
  private boolean checkDue;

  // The last application of which a read failed, and when one of another application failed last.
  private String application;
  private long applicationNanos;
  private boolean others;
  private long othersNanos;

  ReadFailures(HealthConfig config) {
    long windowNanos = TimeUnit.MILLISECONDS.toNanos(config.errorWindowMs());
    this.config = config;
    this.recent = new ErrorWindow(config.readErrorsUntilSuspect(), windowNanos);
    this.unanswered = new ErrorWindow(config.readErrorsUntilLost(), windowNanos);
  }

  void add(FailedRead read, long nowNanos) {
    recent.add(nowNanos);
    unanswered.add(nowNanos);
    if (toRepeat.size() < MAX_FILES) {
      toRepeat.putIfAbsent(read.file(), read);
    }
    if (application != null && !application.equals(read.application())) {
      others = true;
      othersNanos = applicationNanos;
    }
    application = read.application();
    applicationNanos = nowNanos;
    checkDue |= areMany(nowNanos);
  }

  /** Whether the disk is to be probed, and the files are to be read again. */
  boolean isCheckDue() {
    return checkDue;
  }

  /** Whether so many reads failed that the disk is to be probed. */
  private boolean areMany(long nowNanos) {
    return recent.count(nowNanos) >= config.readErrorsUntilSuspect();
  }

  /** As many, and of the files of more than one application. */
  boolean areOfSeveralApplications(long nowNanos) {
    return areMany(nowNanos)
        && others
        && nowNanos - othersNanos < TimeUnit.MILLISECONDS.toNanos(config.errorWindowMs());
  }

  /** Whether so many reads failed since a probe was answered that the disk is lost. */
  boolean areTooMany(long nowNanos) {
    return unanswered.count(nowNanos) >= config.readErrorsUntilLost();
  }

  /** The disk has answered a probe. */
  void answered() {
    unanswered.clear();
  }

  /**
   * Takes some of the reads that are to be repeated.
   *
   * @param most to take; the rest stays due
   */
  List<FailedRead> take(int most) {
    List<FailedRead> taken =
        new ArrayList<>(toRepeat.values()).subList(0, Math.min(most, toRepeat.size()));
    taken.forEach(read -> toRepeat.remove(read.file()));
    checkDue = !toRepeat.isEmpty();
    return taken;
  }

  void clear() {
    recent.clear();
    unanswered.clear();
    toRepeat.clear();
    checkDue = false;
    application = null;
    others = false;
  }
}

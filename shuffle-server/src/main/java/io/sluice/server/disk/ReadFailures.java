package io.sluice.server.disk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The failed reads of one disk: their recent number, whether they concern several applications, and
 * the reads to repeat once the disk has answered a probe. Not thread-safe.
 */
final class ReadFailures {
  /**
   * Maximum number of files with a read to repeat; reads of other files fail again and are added
   * later.
   */
  private static final int MAX_FILES = 64;

  private final HealthConfig config;
  private final ErrorWindow recent;
  // Empty if failed reads never make a disk lost.
  private final Optional<ErrorWindow> unanswered;
  // One failure of each file.
  private final Map<String, FailedRead> toRepeat = new LinkedHashMap<>();
  private boolean checkDue;

  // Application and time of the last failed read, and time of the last failure of another
  // application.
  private String application;
  private long applicationNanos;
  private boolean others;
  private long othersNanos;

  ReadFailures(HealthConfig config) {
    long windowNanos = TimeUnit.MILLISECONDS.toNanos(config.errorWindowMs());
    this.config = config;
    this.recent = new ErrorWindow(config.readErrorsUntilSuspect(), windowNanos);
    this.unanswered =
        config.readErrorsUntilLost() == HealthConfig.NEVER
            ? Optional.empty()
            : Optional.of(new ErrorWindow(config.readErrorsUntilLost(), windowNanos));
  }

  void add(FailedRead read, long nowNanos) {
    recent.add(nowNanos);
    unanswered.ifPresent(errors -> errors.add(nowNanos));
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

  /** Whether the disk must be probed and the reads repeated. */
  boolean isCheckDue() {
    return checkDue;
  }

  /** Whether at least {@code readErrorsUntilSuspect} reads failed within the window. */
  private boolean areMany(long nowNanos) {
    return recent.count(nowNanos) >= config.readErrorsUntilSuspect();
  }

  /** As {@link #areMany}, and of more than one application. */
  boolean areOfSeveralApplications(long nowNanos) {
    return areMany(nowNanos)
        && others
        && nowNanos - othersNanos < TimeUnit.MILLISECONDS.toNanos(config.errorWindowMs());
  }

  /**
   * Whether at least {@code readErrorsUntilLost} reads failed within the window since the last
   * successful probe.
   */
  boolean areTooMany(long nowNanos) {
    return unanswered
        .filter(errors -> errors.count(nowNanos) >= config.readErrorsUntilLost())
        .isPresent();
  }

  /** Reports a successful probe. */
  void answered() {
    unanswered.ifPresent(ErrorWindow::clear);
  }

  /**
   * Takes reads to repeat.
   *
   * @param max maximum number of reads to take; the others stay queued
   */
  List<FailedRead> take(int max) {
    List<FailedRead> taken =
        new ArrayList<>(toRepeat.values()).subList(0, Math.min(max, toRepeat.size()));
    taken.forEach(read -> toRepeat.remove(read.file()));
    checkDue = !toRepeat.isEmpty();
    return taken;
  }

  void clear() {
    recent.clear();
    unanswered.ifPresent(ErrorWindow::clear);
    toRepeat.clear();
    checkDue = false;
    application = null;
    others = false;
  }
}

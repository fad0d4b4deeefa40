package io.sluice.server.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file whose existence announces the end of the machine, such as the interruption of a spot
 * instance. The server then moves its data to other servers and exits, at the latest after the
 * deadline. If the file is removed, the server continues. {@link #check} is called by one thread.
 */
public final class TerminationNotice {
  private static final Logger log = LoggerFactory.getLogger(TerminationNotice.class);

  private final Path file;
  private final long deadlineMs;
  private final Decommission decommission;
  private final LongConsumer checkAfterMs;
  private boolean announced;

  /**
   * Settings of the notice.
   *
   * @param file null: the end is never announced
   * @param deadlineMs time between the notice and the exit of the server
   */
  public record Config(Path file, long deadlineMs) {
    static final ConfigKey<String> FILE =
        ConfigKey.string("rss.server.termination.file")
            .doc(
                "File that announces the end of the machine, on a local file system. While it"
                    + " exists, the server moves its data away as with `decommission --move`, and"
                    + " exits after rss.server.termination.deadline. Set it where machines end at"
                    + " short notice, and let the handler of these notices create the file.")
            .build();

    static final ConfigKey<Long> DEADLINE =
        ConfigKey.durationMs("rss.server.termination.deadline")
            .defaultValue(90_000L)
            .atLeast(1_000L)
            .atMost(86_400_000L)
            .doc(
                "Time after rss.server.termination.file appears at which the server exits even if"
                    + " it still has data. Set it to less than the time between the notice and the"
                    + " end of the machine.")
            .build();

    /** The keys that this record is made from. */
    public static final List<ConfigKey<?>> KEYS = List.of(FILE, DEADLINE);

    public static Config from(ConfigSet set) {
      Optional<String> file = set.find(FILE);
      return new Config(file.map(Path::of).orElse(null), set.get(DEADLINE));
    }
  }

  /**
   * @param file the announcement
   * @param checkAfterMs schedules a check of the decommission after this time
   */
  public TerminationNotice(
      Path file, long deadlineMs, Decommission decommission, LongConsumer checkAfterMs) {
    this.file = file;
    this.deadlineMs = deadlineMs;
    this.decommission = decommission;
    this.checkAfterMs = checkAfterMs;
  }

  /** Starts the decommission if the file has appeared, and cancels it if the file was removed. */
  public void check() {
    boolean exists = Files.exists(file);
    if (exists == announced) {
      return;
    }
    announced = exists;
    if (exists) {
      log.warn(
          "end of the machine announced, moving data to other servers file={} deadlineMs={}",
          file,
          deadlineMs);
      decommission.begin(deadlineMs, true);
      checkAfterMs.accept(deadlineMs);
    } else {
      log.warn("end of the machine no longer announced file={}", file);
      decommission.cancel();
    }
  }
}

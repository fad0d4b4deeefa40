package io.sluice.it.hostile;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Attacks on a running cluster, one after the other. During and after each attack, processes must
 * run, memory must be bounded, budgets must return to zero, logs must stay short, disk states must
 * not change, and an honest job must get its rows. {@link Bounds} has the limits.
 */
@EnabledOnOs(OS.LINUX)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class HostileSuite {
  /** Regular expression that selects attacks in manual runs, such as {@code TLS HALF_.*}. */
  private static final Pattern ONLY =
      Pattern.compile(System.getProperty("sluice.test.attacks", ""));

  @TempDir static Path directory;

  private HostileCluster cluster;
  private Encryption encryption;

  /** Whether the cluster must be restarted, so that one attack cannot affect the next. */
  private boolean damaged;

  /** Must be called before the first attack; {@link #stopCluster} after the last one. */
  void prepareCluster(Encryption encryption) throws Exception {
    this.encryption = encryption;
    cluster = new HostileCluster(directory.resolve(encryption.name()), encryption);
    damaged = true;
  }

  void stopCluster() {
    cluster.close();
  }

  private void startCluster() throws Exception {
    if (damaged) {
      cluster.start(Map.of());
      damaged = false;
    }
  }

  /** Runs an attack; fails if it affects the cluster or the honest job. */
  void check(AttackCase attack) throws Exception {
    assumeTrue(ONLY.matcher(encryption + " " + attack).find(), "not chosen");
    startCluster();
    damaged = true;
    try {
      withstands(attack.attack());
    } catch (Throwable e) {
      throw new AssertionError(attack + " (" + encryption + "): " + e.getMessage(), e);
    }
    damaged = false;
  }

  private void withstands(Attack attack) throws Exception {
    Target target = cluster.target();
    List<ProcessHealth> processes = cluster.processes(target);
    SoftAssertions softly = new SoftAssertions();
    int rounds;
    try (HonestJob honest = HonestJob.start(target);
        PeakSampler watch = PeakSampler.start(processes)) {
      try (AutoCloseable open = attack.launch(target)) {
        for (ProcessHealth process : processes) {
          process.checkDuring(softly);
        }
        softly.check(() -> honest.awaitRounds(Bounds.HONEST_ROUNDS));
      } catch (Exception | AssertionError e) {
        // Record the failure of the attack, then still check the state of the cluster.
        softly.fail("unexpected end of the attack: " + e, e);
      }
      softly.check(() -> honest.awaitRounds(Bounds.HONEST_ROUNDS));
      rounds = honest.rounds();
    }
    for (ProcessHealth process : processes) {
      process.checkAfter(softly, rounds);
    }
    softly.assertAll();
  }
}

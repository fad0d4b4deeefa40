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
 * Attacks on a running cluster, one after the other: during and after each the processes live,
 * their memory is bounded, budgets go back to zero, logs stay short, no disk changes its state, and
 * an honest job gets its rows. {@link Bounds} has the limits.
 */
@EnabledOnOs(OS.LINUX)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class HostileSuite {
  /** For trying a few by hand: a regular expression, such as {@code TLS HALF_.*}. */
  private static final Pattern ONLY =
      Pattern.compile(System.getProperty("sluice.test.attacks", ""));

  @TempDir static Path directory;

  private HostileCluster cluster;
  private Encryption encryption;

  /** What one attack did to a cluster must not decide about the next attack. */
  private boolean damaged;

  /** Has to be called before the first attack; {@link #stopCluster} after the last one. */
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

  /** Carries out an attack, and fails if the cluster or its honest user suffers. */
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
    List<Vitals> processes =
        List.of(
            new Vitals(target, target.coordinator(), cluster.sizes()),
            new Vitals(target, target.server(), cluster.sizes()));
    SoftAssertions softly = new SoftAssertions();
    int rounds;
    try (HonestJob honest = HonestJob.start(target);
        PeakWatch watch = PeakWatch.start(processes)) {
      try (AutoCloseable held = attack.launch(target)) {
        for (Vitals process : processes) {
          process.checkHeld(softly);
        }
        softly.check(() -> honest.awaitRounds(Bounds.HONEST_ROUNDS));
      } catch (Exception | AssertionError e) {
        // What the cluster did wrong, and what that did to it.
        softly.fail("the attack did not end as it should: " + e, e);
      }
      softly.check(() -> honest.awaitRounds(Bounds.HONEST_ROUNDS));
      rounds = honest.rounds();
    }
    for (Vitals process : processes) {
      process.checkAfter(softly, rounds);
    }
    softly.assertAll();
  }
}

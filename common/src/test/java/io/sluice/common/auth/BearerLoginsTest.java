package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BearerLoginsTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final Users USERS =
      Users.parse(
          TestUsers.line("root", "admin", SECRET)
              + TestUsers.line("jane.doe", "reader", SECRET + "x")
              + "carol admin -");

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger derivations = new AtomicInteger();
  private volatile Users users = USERS;
  private final BearerLogins logins = logins(() -> {});

  private BearerLogins logins(Runnable beforeDerivation) {
    return new BearerLogins(
        () -> users,
        (verifier, secret) -> {
          beforeDerivation.run();
          derivations.incrementAndGet();
          return verifier.matches(secret);
        },
        new SecureRandom(),
        nanos::get);
  }

  private Caller login(String bearer) {
    return logins.caller(bearer, "10.0.0.1").toCompletableFuture().join();
  }

  private StatusCode refused(CompletionStage<Caller> login) {
    Throwable failure = catchThrowable(() -> login.toCompletableFuture().join());
    assertThat(failure).isInstanceOf(CompletionException.class);
    assertThat(failure).hasCauseInstanceOf(SluiceException.class);
    assertThat(failure.getMessage()).doesNotContain("0123456789");
    return ((SluiceException) failure.getCause()).code();
  }

  private StatusCode refused(String bearer) {
    return refused(logins.caller(bearer, "10.0.0.1"));
  }

  @Test
  void aTokenIsTheUserAndTheSecret() {
    assertThat(login("root:" + SECRET).isAdmin()).isTrue();
    assertThat(login("jane.doe:" + SECRET + "x").name()).isEqualTo("jane.doe");
    for (String wrong :
        new String[] {
          "root:" + SECRET + "x",
          "jane.doe:" + SECRET,
          "unknown:" + SECRET,
          "carol:-",
          "root." + SECRET,
          ":" + SECRET,
          "root:",
          ""
        }) {
      assertThat(refused(wrong)).as(wrong).isEqualTo(StatusCode.DENIED);
    }
  }

  @Test
  void aRightTokenIsVerifiedOnceUntilTheUsersChange() {
    for (int i = 0; i < 3; i++) {
      assertThat(login("root:" + SECRET).role()).isEqualTo(Role.ADMIN);
    }
    assertThat(derivations).hasValue(1);
    users = Users.parse(TestUsers.line("root", "reader", SECRET));
    assertThat(login("root:" + SECRET).role()).isEqualTo(Role.READER);
    assertThat(derivations).hasValue(2);
    users = Users.parse(TestUsers.line("root", "admin", SECRET + "new"));
    assertThat(refused("root:" + SECRET)).isEqualTo(StatusCode.DENIED);
    users = Users.NONE;
    assertThat(refused("root:" + SECRET)).isEqualTo(StatusCode.DENIED);
    assertThat(derivations).hasValue(3);
  }

  @Test
  void anAddressThatGuessesHasToWait() {
    assertThat(login("jane.doe:" + SECRET + "x").name()).isEqualTo("jane.doe");
    for (int i = 0; i < BearerLogins.MAX_FAILURES; i++) {
      assertThat(refused("root:" + SECRET + i)).isEqualTo(StatusCode.DENIED);
    }
    int before = derivations.get();
    assertThat(refused("root:" + SECRET)).isEqualTo(StatusCode.BUSY);
    assertThat(derivations).hasValue(before);
    // Neither other addresses nor tokens that were right have to wait.
    assertThat(login("jane.doe:" + SECRET + "x").name()).isEqualTo("jane.doe");
    assertThat(refused(logins.caller("root:" + SECRET + "y", "10.0.0.2")))
        .isEqualTo(StatusCode.DENIED);

    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(refused("root:" + SECRET + "z")).isEqualTo(StatusCode.DENIED);
    assertThat(refused("root:" + SECRET)).isEqualTo(StatusCode.BUSY);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(login("root:" + SECRET).name()).isEqualTo("root");
  }

  @Test
  void oneTokenIsVerifiedAtATimeAndFewWait() {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    BearerLogins slow =
        logins(
            () -> {
              running.countDown();
              awaitQuietly(released);
            });
    List<CompletableFuture<Caller>> all = new ArrayList<>();
    all.add(slow.caller("root:" + SECRET, "10.0.0.0").toCompletableFuture());
    awaitQuietly(running);
    for (int i = 0; i < BearerLogins.MAX_QUEUED; i++) {
      all.add(slow.caller("root:" + SECRET, "10.0.1." + i).toCompletableFuture());
    }
    assertThat(refused(slow.caller("root:" + SECRET, "10.0.2.1"))).isEqualTo(StatusCode.BUSY);
    released.countDown();
    assertThat(all).allSatisfy(login -> assertThat(login.join().name()).isEqualTo("root"));
    // The queued requests with the same token derived nothing.
    assertThat(derivations).hasValue(1);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void remembersABoundedNumberOfAddresses() {
    for (int i = 0; i < 3 * BearerLogins.MAX_REMEMBERED; i++) {
      logins.failed("address" + i);
    }
    assertThat(logins.addresses()).isEqualTo(BearerLogins.MAX_REMEMBERED);
  }
}

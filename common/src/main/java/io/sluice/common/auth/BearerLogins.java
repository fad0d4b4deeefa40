package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.DaemonThreads;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Verifies bearer tokens {@code USER:SECRET}. Keys are derived by one thread with a short queue, so
 * that guesses cost a bounded part of one processor. An address that failed several times waits.
 * Tokens that were right are remembered, by a keyed hash, until the users change. Thread-safe.
 */
final class BearerLogins {
  static final int MAX_QUEUED = 16;

  /** Failures of one address in a row; then one in each second. */
  static final int MAX_FAILURES = 10;

  static final int MAX_REMEMBERED = 1024;

  private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long IDLE_SECONDS = 10;

  private final Supplier<Users> users;
  private final BiPredicate<ScramVerifier, String> matches;
  private final LongSupplier nanoTime;
  private final byte[] key = new byte[Hmac.LENGTH];
  private final ScramVerifier unknown;
  private final ThreadPoolExecutor derivation =
      new ThreadPoolExecutor(
          1,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_QUEUED),
          DaemonThreads.named("sluice-sign-in"));
  // Guarded by this, all of them.
  private final Map<ByteBuffer, Caller> right = new LinkedHashMap<>();
  private final Map<String, Long> debts = new LinkedHashMap<>();
  private Users rightFor = Users.NONE;

  /**
   * @param users read on each use
   * @param matches derives the keys of a secret and compares them with a verifier
   */
  BearerLogins(
      Supplier<Users> users,
      BiPredicate<ScramVerifier, String> matches,
      SecureRandom random,
      LongSupplier nanoTime) {
    this.users = users;
    this.matches = matches;
    this.nanoTime = nanoTime;
    random.nextBytes(key);
    this.unknown = ScramVerifier.random(random);
    derivation.allowCoreThreadTimeOut(true);
  }

  /**
   * The user of a bearer token. The message of a failure does not reveal which part is wrong.
   *
   * @param peer address whose failures are counted
   * @return fails with a SluiceException: DENIED, or BUSY if the caller shall try again later
   */
  CompletionStage<Caller> caller(String bearer, String peer) {
    Users now = users.get();
    ByteBuffer hash =
        ByteBuffer.wrap(Hmac.of(key, "sluice bearer v1", bearer.getBytes(StandardCharsets.UTF_8)));
    Optional<Caller> known = remembered(now, hash);
    if (known.isPresent()) {
      return CompletableFuture.completedStage(known.get());
    }
    int colon = bearer.indexOf(':');
    if (now.isEmpty() || colon <= 0) {
      return CompletableFuture.failedStage(wrong());
    }
    if (!mayTry(peer)) {
      return CompletableFuture.failedStage(
          busy("too many failed logins from this address: try again in a minute"));
    }
    CompletableFuture<Caller> result = new CompletableFuture<>();
    try {
      derivation.execute(() -> derive(now, hash, bearer, peer, result));
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedStage(
          busy("too many logins at the same time: try again in a second"));
    }
    return result;
  }

  private void derive(
      Users now, ByteBuffer hash, String bearer, String peer, CompletableFuture<Caller> to) {
    try {
      Optional<Caller> known = remembered(now, hash);
      to.complete(known.isPresent() ? known.get() : verified(now, hash, bearer, peer));
    } catch (SluiceException | RuntimeException e) {
      to.completeExceptionally(e);
    }
  }

  private Caller verified(Users now, ByteBuffer hash, String bearer, String peer)
      throws SluiceException {
    int colon = bearer.indexOf(':');
    String name = bearer.substring(0, colon);
    Optional<Users.User> user = now.find(name);
    List<ScramVerifier> verifiers = user.map(Users.User::verifiers).orElse(List.of());
    String secret = bearer.substring(colon + 1);
    boolean same =
        verifiers.isEmpty()
            ? matches.test(unknown, secret)
            : verifiers.stream().anyMatch(one -> matches.test(one, secret));
    if (!same || verifiers.isEmpty()) {
      failed(peer);
      throw wrong();
    }
    Caller caller =
        new Caller(Caller.Kind.USER, name, user.get().role(), "", Caller.ProvedBy.NOTHING);
    remember(now, hash, caller);
    return caller;
  }

  private synchronized Optional<Caller> remembered(Users now, ByteBuffer hash) {
    return now == rightFor ? Optional.ofNullable(right.get(hash)) : Optional.empty();
  }

  private synchronized void remember(Users now, ByteBuffer hash, Caller caller) {
    if (now != rightFor) {
      right.clear();
      rightFor = now;
    }
    right.put(hash, caller);
    trim(right);
  }

  /** Each failure adds one second to the time at which an address has no debt. */
  synchronized void failed(String peer) {
    long now = nanoTime.getAsLong();
    Long free = debts.remove(peer);
    debts.put(peer, (free == null || free - now < 0 ? now : free) + FAILURE_NANOS);
    trim(debts);
  }

  /** Number of addresses with failures. */
  synchronized int addresses() {
    return debts.size();
  }

  private synchronized boolean mayTry(String peer) {
    Long free = debts.get(peer);
    return free == null || free - nanoTime.getAsLong() < MAX_FAILURES * FAILURE_NANOS;
  }

  private static void trim(Map<?, ?> map) {
    if (map.size() > MAX_REMEMBERED) {
      map.remove(map.keySet().iterator().next());
    }
  }

  private static SluiceException wrong() {
    return new SluiceException(
        StatusCode.DENIED,
        "unknown user or wrong secret in the bearer token; expected USER:SECRET");
  }

  private static SluiceException busy(String message) {
    return new SluiceException(StatusCode.BUSY, message);
  }
}

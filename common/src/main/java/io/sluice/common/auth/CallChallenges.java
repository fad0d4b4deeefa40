package io.sluice.common.auth;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Challenges of this process to its callers. An issued challenge is not stored, so that a flood of
 * requests uses no memory. A challenge with a valid answer is stored until it expires, so that it
 * can be used only once. Thread-safe.
 *
 * <p>A challenge is: 8 bytes time, 16 random bytes, HMAC with a random key of this process over
 * both and the certificate that was sent with the challenge.
 */
final class CallChallenges {
  private static final long LIFETIME_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int PLAIN_LENGTH = 24;
  private static final int LENGTH = PLAIN_LENGTH + Hmac.LENGTH;
  private static final String LABEL = "sluice challenge v1";

  private final byte[] key = new byte[Hmac.LENGTH];
  private final SecureRandom random;
  private final LongSupplier nanoTime;
  private final Set<ByteBuffer> used = new HashSet<>();
  private final Deque<Used> usedInOrder = new ArrayDeque<>();

  private record Used(ByteBuffer challenge, long atNanos) {}

  CallChallenges(SecureRandom random, LongSupplier nanoTime) {
    this.random = random;
    this.nanoTime = nanoTime;
    random.nextBytes(key);
  }

  /**
   * @param certificate hash of the certificate that is sent with the challenge
   */
  byte[] next(byte[] certificate) {
    byte[] nonce = new byte[PLAIN_LENGTH - Long.BYTES];
    random.nextBytes(nonce);
    byte[] plain =
        ByteBuffer.allocate(PLAIN_LENGTH).putLong(nanoTime.getAsLong()).put(nonce).array();
    return ByteBuffer.allocate(LENGTH).put(plain).put(mac(plain, certificate)).array();
  }

  private byte[] mac(byte[] plain, byte[] certificate) {
    return Hmac.of(key, LABEL, plain, certificate);
  }

  /** Whether this process issued the challenge with a certificate, and it has not expired. */
  boolean isOurs(byte[] challenge, byte[] certificate) {
    if (challenge.length != LENGTH) {
      return false;
    }
    byte[] plain = Arrays.copyOf(challenge, PLAIN_LENGTH);
    byte[] mac = Arrays.copyOfRange(challenge, PLAIN_LENGTH, LENGTH);
    return Hmac.same(mac(plain, certificate), mac)
        && nanoTime.getAsLong() - ByteBuffer.wrap(plain).getLong() < LIFETIME_NANOS;
  }

  /** Marks a challenge with a valid answer as used; false if it was used before. */
  synchronized boolean use(byte[] challenge) {
    long now = nanoTime.getAsLong();
    while (!usedInOrder.isEmpty() && now - usedInOrder.getFirst().atNanos > LIFETIME_NANOS) {
      used.remove(usedInOrder.removeFirst().challenge);
    }
    ByteBuffer entry = ByteBuffer.wrap(challenge.clone());
    if (!used.add(entry)) {
      return false;
    }
    usedInOrder.addLast(new Used(entry, now));
    return true;
  }
}

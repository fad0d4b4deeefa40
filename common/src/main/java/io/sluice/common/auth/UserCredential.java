package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Name and secret of a user at a client. Keeps the derived keys of the last salts, and the keys of
 * its last calls, with which granted tokens are opened. Never printed. Thread-safe.
 */
public final class UserCredential {
  private static final int MAX_SALTS = 8;
  private static final int MAX_EXCHANGES = 256;

  private final String user;
  private final byte[] secret;
  // Both guarded by this.
  private final Map<Salt, ScramKeys> keys = new LinkedHashMap<>();
  private final Map<ByteString, byte[]> exchangeKeys = new LinkedHashMap<>();

  private record Salt(ByteString salt, int iterations) {}

  /**
   * @param secret as returned by {@link Users#userSecret}
   */
  public UserCredential(String user, byte[] secret) {
    this.user = user;
    this.secret = secret.clone();
  }

  String user() {
    return user;
  }

  /**
   * Adds user and proof to the answer of a challenge.
   *
   * @param proof has challenge and nonce
   * @return key with which the called process proves its reply
   * @throws SluiceException DENIED if salt or iterations are not allowed
   */
  synchronized byte[] prove(CallProof.Builder proof, ChallengeReply challenge, String call)
      throws SluiceException {
    int iterations = challenge.getIterations();
    if (challenge.getSalt().size() != ScramVerifier.SALT_LENGTH
        || !ScramVerifier.isAllowed(iterations)) {
      throw new SluiceException(
          StatusCode.DENIED,
          "its challenge has a salt of "
              + challenge.getSalt().size()
              + " bytes and "
              + Integer.toUnsignedString(iterations)
              + " iterations, expected "
              + ScramVerifier.SALT_LENGTH
              + " bytes and "
              + ScramVerifier.expectedIterations());
    }
    ScramKeys derived = keys(new Salt(challenge.getSalt(), iterations));
    ScramKeys.Exchange exchange =
        new ScramKeys.Exchange(
            user, challenge.getSalt(), iterations, proof.getChallenge(), proof.getNonce(), call);
    proof.setUser(user).setMac(ByteString.copyFrom(derived.proof(exchange)));
    put(
        exchangeKeys,
        proof.getNonce(),
        ScramKeys.exchangeKey(derived.clientKey(), exchange),
        MAX_EXCHANGES);
    return derived.serverKey();
  }

  private ScramKeys keys(Salt salt) {
    ScramKeys known = keys.get(salt);
    if (known == null) {
      known = ScramKeys.derive(secret, salt.salt().toByteArray(), salt.iterations());
      put(keys, salt, known, MAX_SALTS);
    }
    return known;
  }

  private static <K, V> void put(Map<K, V> map, K key, V value, int max) {
    map.put(key, value);
    if (map.size() > max) {
      map.remove(map.keySet().iterator().next());
    }
  }

  /**
   * Key of one of the last calls, once.
   *
   * @param nonce this side's nonce of the call
   */
  synchronized Optional<byte[]> takeExchangeKey(ByteString nonce) {
    return Optional.ofNullable(exchangeKeys.remove(nonce));
  }

  @Override
  public String toString() {
    return "credential of user " + user;
  }
}

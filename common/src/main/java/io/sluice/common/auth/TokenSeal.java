package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.TokenGrant;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encryption of a token's key for the requesting user: AES-256-GCM with the token as associated
 * data. The key is derived from the exchange with which the user proved the secret in the same
 * call, so that the users file alone opens no grant.
 */
public final class TokenSeal {
  private static final String LABEL = "sluice seal v1";
  private static final int NONCE_LENGTH = 12;
  private static final int TAG_BITS = 128;

  private TokenSeal() {}

  static TokenGrant seal(
      ApplicationCredential credential,
      ByteString exchange,
      byte[] exchangeKey,
      SecureRandom random) {
    byte[] nonce = new byte[NONCE_LENGTH];
    random.nextBytes(nonce);
    byte[] token = credential.tokenBytes();
    try {
      return TokenGrant.newBuilder()
          .setToken(ByteString.copyFrom(token))
          .setExchange(exchange)
          .setNonce(ByteString.copyFrom(nonce))
          .setSealedKey(
              ByteString.copyFrom(
                  cipher(Cipher.ENCRYPT_MODE, exchangeKey, nonce, token).doFinal(credential.key())))
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM is part of every Java runtime", e);
    }
  }

  /** For a user with a certificate and without a secret: the key is sent inside TLS only. */
  static TokenGrant clear(ApplicationCredential credential) {
    return TokenGrant.newBuilder()
        .setToken(ByteString.copyFrom(credential.tokenBytes()))
        .setClearKey(ByteString.copyFrom(credential.key()))
        .build();
  }

  /**
   * Decrypts a grant.
   *
   * @param requester null for a user with a certificate
   * @throws SluiceException DENIED if it was not created for one of the requester's last calls
   */
  public static ApplicationCredential open(TokenGrant grant, UserCredential requester)
      throws SluiceException {
    if (requester == null) {
      return opened(grant, null);
    }
    Optional<byte[]> exchangeKey = requester.takeExchangeKey(grant.getExchange());
    if (exchangeKey.isEmpty()) {
      throw new SluiceException(
          StatusCode.DENIED, "token grant: does not belong to a call of this process");
    }
    return opened(grant, exchangeKey.get());
  }

  /**
   * Decrypts a grant.
   *
   * @param exchangeKey null for a user with a certificate
   */
  static ApplicationCredential opened(TokenGrant grant, byte[] exchangeKey) throws SluiceException {
    byte[] token = grant.getToken().toByteArray();
    if (exchangeKey == null) {
      return new ApplicationCredential(token, grant.getClearKey().toByteArray());
    }
    byte[] nonce = grant.getNonce().toByteArray();
    if (nonce.length != NONCE_LENGTH) {
      throw new SluiceException(
          StatusCode.DENIED,
          "token grant: nonce has " + nonce.length + " bytes, expected " + NONCE_LENGTH);
    }
    // For input shorter than its tag the cipher throws an unchecked exception.
    int sealedLength = grant.getSealedKey().size();
    if (sealedLength != Hmac.LENGTH + TAG_BITS / Byte.SIZE) {
      throw new SluiceException(
          StatusCode.DENIED, "token grant: sealed key has " + sealedLength + " bytes");
    }
    try {
      return new ApplicationCredential(
          token,
          cipher(Cipher.DECRYPT_MODE, exchangeKey, nonce, token)
              .doFinal(grant.getSealedKey().toByteArray()));
    } catch (GeneralSecurityException e) {
      throw new SluiceException(
          StatusCode.DENIED,
          "token grant: not created for this call of this user; check the"
              + " coordinator's address",
          e);
    }
  }

  private static Cipher cipher(int mode, byte[] exchangeKey, byte[] nonce, byte[] token)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode,
        new SecretKeySpec(Hmac.of(exchangeKey, LABEL), "AES"),
        new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(token);
    return cipher;
  }
}

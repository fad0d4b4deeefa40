package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.TokenGrant;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encryption of a token's key for the requesting user: AES-256-GCM with the token as associated
 * data and the key HMAC-SHA256(requester's key, "sluice seal v1"). Only a coordinator that knows
 * the requester's secret can create it.
 */
public final class TokenSeal {
  private static final String LABEL = "sluice seal v1";
  private static final int NONCE_LENGTH = 12;
  private static final int TAG_BITS = 128;

  private TokenSeal() {}

  static TokenGrant seal(
      ApplicationCredential credential, byte[] requesterKey, SecureRandom random) {
    byte[] nonce = new byte[NONCE_LENGTH];
    random.nextBytes(nonce);
    byte[] token = credential.tokenBytes();
    try {
      return TokenGrant.newBuilder()
          .setToken(ByteString.copyFrom(token))
          .setNonce(ByteString.copyFrom(nonce))
          .setSealedKey(
              ByteString.copyFrom(
                  cipher(Cipher.ENCRYPT_MODE, requesterKey, nonce, token)
                      .doFinal(credential.key())))
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
   * @param requesterKey null for a user with a certificate
   * @throws SluiceException DENIED if it was not created with this user's secret
   */
  public static ApplicationCredential open(TokenGrant grant, byte[] requesterKey)
      throws SluiceException {
    byte[] token = grant.getToken().toByteArray();
    if (requesterKey == null) {
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
          cipher(Cipher.DECRYPT_MODE, requesterKey, nonce, token)
              .doFinal(grant.getSealedKey().toByteArray()));
    } catch (GeneralSecurityException e) {
      throw new SluiceException(
          StatusCode.DENIED,
          "token grant: not created with this user's secret; check the secret and the"
              + " coordinator's address",
          e);
    }
  }

  private static Cipher cipher(int mode, byte[] requesterKey, byte[] nonce, byte[] token)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode,
        new SecretKeySpec(Hmac.of(requesterKey, LABEL), "AES"),
        new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(token);
    return cipher;
  }
}

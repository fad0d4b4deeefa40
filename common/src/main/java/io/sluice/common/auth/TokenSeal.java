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
 * A token's key on its way to the one that asked for it: AES-256-GCM, the token as associated data,
 * under HMAC-SHA256(asker's key, "sluice seal v1"). Only a coordinator that knows the asker's
 * secret can have made it.
 */
public final class TokenSeal {
  private static final String LABEL = "sluice seal v1";
  private static final int NONCE_LENGTH = 12;
  private static final int TAG_BITS = 128;

  private TokenSeal() {}

  static TokenGrant seal(ApplicationCredential credential, byte[] askersKey, SecureRandom random) {
    byte[] nonce = new byte[NONCE_LENGTH];
    random.nextBytes(nonce);
    byte[] token = credential.tokenBytes();
    try {
      return TokenGrant.newBuilder()
          .setToken(ByteString.copyFrom(token))
          .setNonce(ByteString.copyFrom(nonce))
          .setSealedKey(
              ByteString.copyFrom(
                  cipher(Cipher.ENCRYPT_MODE, askersKey, nonce, token).doFinal(credential.key())))
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has AES-GCM", e);
    }
  }

  /** For one that has no secret but a certificate, inside TLS. */
  static TokenGrant clear(ApplicationCredential credential) {
    return TokenGrant.newBuilder()
        .setToken(ByteString.copyFrom(credential.tokenBytes()))
        .setClearKey(ByteString.copyFrom(credential.key()))
        .build();
  }

  /**
   * Opens a grant.
   *
   * @param askersKey null for one that asked with a certificate
   * @throws SluiceException DENIED if somebody else made it
   */
  public static ApplicationCredential open(TokenGrant grant, byte[] askersKey)
      throws SluiceException {
    byte[] token = grant.getToken().toByteArray();
    if (askersKey == null) {
      return new ApplicationCredential(token, grant.getClearKey().toByteArray());
    }
    byte[] nonce = grant.getNonce().toByteArray();
    if (nonce.length != NONCE_LENGTH) {
      throw new SluiceException(StatusCode.DENIED, "token grant: nonce of " + nonce.length);
    }
    // What is shorter than its tag, the cipher answers with an unchecked exception.
    int sealedLength = grant.getSealedKey().size();
    if (sealedLength != Hmac.LENGTH + TAG_BITS / Byte.SIZE) {
      throw new SluiceException(
          StatusCode.DENIED, "token grant: sealed key of " + sealedLength + " bytes");
    }
    try {
      return new ApplicationCredential(
          token,
          cipher(Cipher.DECRYPT_MODE, askersKey, nonce, token)
              .doFinal(grant.getSealedKey().toByteArray()));
    } catch (GeneralSecurityException e) {
      throw new SluiceException(
          StatusCode.DENIED,
          "token grant: not made with this user's secret; is it the cluster's coordinator?",
          e);
    }
  }

  private static Cipher cipher(int mode, byte[] askersKey, byte[] nonce, byte[] token)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode,
        new SecretKeySpec(Hmac.of(askersKey, LABEL), "AES"),
        new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(token);
    return cipher;
  }
}

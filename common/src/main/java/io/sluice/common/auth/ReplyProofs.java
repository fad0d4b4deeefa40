package io.sluice.common.auth;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;

/**
 * Proof of the called process, sent in the headers of its reply, over "sluice reply v2", the
 * challenge that the caller answered, the caller's nonce, and the name of the call. For a user it
 * is an HMAC with the user's key, for other callers a signature of the called process. It is valid
 * for one call, because the caller uses a new nonce for each call.
 */
final class ReplyProofs {
  static final Metadata.Key<byte[]> PROOF =
      Metadata.Key.of("sluice-reply-proof-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private ReplyProofs() {}

  static byte[] mac(byte[] key, byte[] challenge, byte[] nonce, String call) {
    return Hmac.of(key, CallProofs.REPLY_LABEL, challenge, nonce, CallAuthenticator.ascii(call));
  }

  /** Adds a proof to the reply. */
  static <Q, R> ServerCall<Q, R> proving(ServerCall<Q, R> call, byte[] proof) {
    return new SimpleForwardingServerCall<>(call) {
      @Override
      public void sendHeaders(Metadata reply) {
        reply.put(PROOF, proof);
        super.sendHeaders(reply);
      }
    };
  }
}

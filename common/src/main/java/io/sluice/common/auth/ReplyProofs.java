package io.sluice.common.auth;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.sluice.proto.CallProof;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Proof of the called process, sent in the headers of its reply: HMAC with the caller's key over
 * "sluice reply v1", the challenge that the caller answered, the caller's nonce, and the name of
 * the call. Only a process that knows the caller's key can compute it. It is valid for one call,
 * because the caller uses a new nonce for each call.
 */
final class ReplyProofs {
  static final Metadata.Key<byte[]> PROOF =
      Metadata.Key.of("sluice-reply-proof-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private ReplyProofs() {}

  static byte[] mac(byte[] key, byte[] challenge, byte[] nonce, String call) {
    byte[] name = call.getBytes(StandardCharsets.US_ASCII);
    return Hmac.of(key, "sluice reply v1", challenge, nonce, name);
  }

  /**
   * Adds the proof to the reply if the caller proved its identity with a key; otherwise returns the
   * call unchanged.
   *
   * @param headers of the request
   */
  static <Q, R> ServerCall<Q, R> proving(ServerCall<Q, R> call, Metadata headers, Caller caller) {
    CallProof proof = headers.get(CallProofs.PROOF);
    Optional<byte[]> key = caller.provedBy().key();
    if (proof == null || key.isEmpty()) {
      return call;
    }
    byte[] mac =
        mac(
            key.get(),
            proof.getChallenge().toByteArray(),
            proof.getNonce().toByteArray(),
            call.getMethodDescriptor().getFullMethodName());
    return new SimpleForwardingServerCall<>(call) {
      @Override
      public void sendHeaders(Metadata reply) {
        reply.put(PROOF, mac);
        super.sendHeaders(reply);
      }
    };
  }
}

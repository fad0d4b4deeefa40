package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.StreamObserver;
import io.sluice.proto.AuthenticationGrpc;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The caller's side: every call of a channel asks for a challenge first and brings the answer. A
 * process that knows no such call asks for no proof and gets none. Thread-safe.
 */
public final class CallProofs implements ClientInterceptor {
  static final Metadata.Key<CallProof> PROOF =
      Metadata.Key.of(
          "sluice-proof-bin", ProtoUtils.metadataMarshaller(CallProof.getDefaultInstance()));

  private static final long CHALLENGE_TIMEOUT_MS = 10_000;

  private final Prover prover;

  private CallProofs(Prover prover) {
    this.prover = prover;
  }

  /** Who the caller is, and what proves it. */
  @FunctionalInterface
  private interface Prover {
    void prove(CallProof.Builder proof, ByteString challenge, String call);
  }

  /**
   * For a user.
   *
   * @param secret of {@link Users#userSecret}
   */
  public static CallProofs ofUser(String user, byte[] secret) {
    return new CallProofs(
        (proof, challenge, call) -> proof.setUser(user).setMac(mac(secret, challenge, call)));
  }

  /** For an application's processes. */
  public static CallProofs ofApplication(ApplicationCredential credential) {
    return new CallProofs(
        (proof, challenge, call) ->
            proof
                .setToken(ByteString.copyFrom(credential.tokenBytes()))
                .setMac(mac(credential.key(), challenge, call)));
  }

  /** For a process of the cluster. */
  public static CallProofs ofCluster(TokenAuthority tokens) {
    return new CallProofs(
        (proof, challenge, call) -> {
          ClusterKeys.Key key = tokens.keys().signing();
          proof
              .setClusterKey(key.id())
              .setMac(mac(CallAuthenticator.peerKey(key), challenge, call));
        });
  }

  private static ByteString mac(byte[] key, ByteString challenge, String call) {
    return ByteString.copyFrom(CallAuthenticator.mac(key, challenge.toByteArray(), call));
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return next.newCall(method, options.withCallCredentials(new Credentials(next)));
  }

  private final class Credentials extends CallCredentials {
    private final Channel channel;

    private Credentials(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
      String name = call.getMethodDescriptor().getFullMethodName();
      AuthenticationGrpc.newStub(channel)
          .withDeadlineAfter(CHALLENGE_TIMEOUT_MS, TimeUnit.MILLISECONDS)
          .challenge(
              ChallengeRequest.getDefaultInstance(),
              new StreamObserver<>() {
                private ByteString challenge;

                @Override
                public void onNext(ChallengeReply reply) {
                  challenge = reply.getChallenge();
                }

                @Override
                public void onError(Throwable fault) {
                  Status status = Status.fromThrowable(fault);
                  if (status.getCode() == Status.Code.UNIMPLEMENTED) {
                    applier.apply(new Metadata());
                  } else {
                    applier.fail(status);
                  }
                }

                @Override
                public void onCompleted() {
                  CallProof.Builder proof = CallProof.newBuilder().setChallenge(challenge);
                  prover.prove(proof, challenge, name);
                  Metadata headers = new Metadata();
                  headers.put(PROOF, proof.build());
                  applier.apply(headers);
                }
              });
    }
  }
}

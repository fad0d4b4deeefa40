package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.AuthenticationGrpc;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;
import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Client side of mutual authentication of control calls: every call of a channel requests a
 * challenge first and sends its answer. The reply must prove that the called process knows the
 * caller's key, too. Without a challenge the request is not sent; without a proof the reply is
 * discarded. In both cases the call fails with UNAUTHENTICATED and {@link UnprovenPeerException}.
 * Thread-safe.
 */
public final class CallProofs implements ClientInterceptor {
  static final Metadata.Key<CallProof> PROOF =
      Metadata.Key.of(
          "sluice-proof-bin", ProtoUtils.metadataMarshaller(CallProof.getDefaultInstance()));

  /** Bytes of the caller's nonce. */
  static final int NONCE_LENGTH = 32;

  private static final long CHALLENGE_TIMEOUT_MS = 10_000;

  private final Prover prover;
  private final ChallengeRequest request;
  private final SecureRandom random;
  private final boolean required;

  private CallProofs(
      Prover prover, ChallengeRequest request, SecureRandom random, boolean required) {
    this.prover = prover;
    this.request = request;
    this.random = random;
    this.required = required;
  }

  /** The identity of the caller. */
  @FunctionalInterface
  private interface Prover {
    /**
     * Sets caller and mac in a proof, which has challenge and nonce.
     *
     * @return key with which the called process proves its reply
     * @throws SluiceException if the called process must not get a proof
     */
    byte[] prove(CallProof.Builder proof, ChallengeReply challenge, String call)
        throws SluiceException;
  }

  /** For a user. */
  public static CallProofs ofUser(UserCredential user, SecureRandom random) {
    ChallengeRequest request = ChallengeRequest.newBuilder().setUser(user.user()).build();
    return new CallProofs(user::prove, request, random, true);
  }

  /** For an application's processes. */
  public static CallProofs ofApplication(ApplicationCredential credential, SecureRandom random) {
    return new CallProofs(
        (proof, challenge, call) -> {
          proof.setToken(ByteString.copyFrom(credential.tokenBytes()));
          return withMac(proof, credential.key(), call);
        },
        ChallengeRequest.getDefaultInstance(),
        random,
        true);
  }

  /**
   * For a process of the cluster.
   *
   * @param required whether calls fail if the called process does not request a proof; otherwise
   *     they are sent without one, for the time in which a cluster is switched to authentication
   */
  public static CallProofs ofCluster(TokenAuthority tokens, SecureRandom random, boolean required) {
    return new CallProofs(
        (proof, challenge, call) -> {
          ClusterKeys.Key key = tokens.keys().signing();
          proof.setClusterKey(key.id());
          return withMac(proof, CallAuthenticator.peerKey(key), call);
        },
        ChallengeRequest.getDefaultInstance(),
        random,
        required);
  }

  private static byte[] withMac(CallProof.Builder proof, byte[] key, String call) {
    byte[] challenge = proof.getChallenge().toByteArray();
    byte[] nonce = proof.getNonce().toByteArray();
    proof.setMac(ByteString.copyFrom(CallAuthenticator.mac(key, challenge, nonce, call)));
    return key;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    Exchange exchange = new Exchange(next);
    return new ProvedCall<>(next.newCall(method, options.withCallCredentials(exchange)), exchange);
  }

  private static Status unproven(String why) {
    String message = "the called process did not prove that it belongs to this cluster: " + why;
    return Status.UNAUTHENTICATED
        .withDescription(message)
        .withCause(new UnprovenPeerException(message));
  }

  /** Challenge, proof, and expected proof of the reply, of one call. */
  private final class Exchange extends CallCredentials {
    private final Channel channel;

    /** Null: no proof is expected. Written before the request is sent. */
    private volatile byte[] replyProof;

    private Exchange(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
      String name = call.getMethodDescriptor().getFullMethodName();
      AuthenticationGrpc.newStub(channel)
          .withDeadlineAfter(CHALLENGE_TIMEOUT_MS, TimeUnit.MILLISECONDS)
          .challenge(
              request,
              new StreamObserver<>() {
                private ChallengeReply challenge = ChallengeReply.getDefaultInstance();

                @Override
                public void onNext(ChallengeReply reply) {
                  challenge = reply;
                }

                @Override
                public void onError(Throwable fault) {
                  Status status = Status.fromThrowable(fault);
                  if (status.getCode() != Status.Code.UNIMPLEMENTED) {
                    applier.fail(status);
                  } else if (required) {
                    applier.fail(
                        unproven(
                            "it does not support authentication, although this process has a"
                                + " secret; enable authentication there, or check the address"));
                  } else {
                    applier.apply(new Metadata());
                  }
                }

                @Override
                public void onCompleted() {
                  if (challenge.getChallenge().isEmpty()) {
                    applier.fail(unproven("its reply has no challenge"));
                    return;
                  }
                  try {
                    applier.apply(headers(challenge, name));
                  } catch (SluiceException e) {
                    applier.fail(unproven(e.getMessage()));
                  }
                }
              });
    }

    private Metadata headers(ChallengeReply challenge, String call) throws SluiceException {
      byte[] nonce = new byte[NONCE_LENGTH];
      random.nextBytes(nonce);
      CallProof.Builder proof =
          CallProof.newBuilder()
              .setChallenge(challenge.getChallenge())
              .setNonce(ByteString.copyFrom(nonce));
      byte[] key = prover.prove(proof, challenge, call);
      replyProof = ReplyProofs.mac(key, challenge.getChallenge().toByteArray(), nonce, call);
      Metadata headers = new Metadata();
      headers.put(PROOF, proof.build());
      return headers;
    }

    private boolean isProvedBy(Metadata reply) {
      byte[] found = reply.get(ReplyProofs.PROOF);
      return replyProof == null || (found != null && Hmac.same(replyProof, found));
    }
  }

  /** Discards a reply without a valid proof; failures are passed on. */
  private static final class ProvedCall<Q, R> extends SimpleForwardingClientCall<Q, R> {
    private final Exchange exchange;

    private ProvedCall(ClientCall<Q, R> call, Exchange exchange) {
      super(call);
      this.exchange = exchange;
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      super.start(
          new SimpleForwardingClientCallListener<>(listener) {
            private boolean proved;
            private boolean refused;

            @Override
            public void onHeaders(Metadata reply) {
              proved = exchange.isProvedBy(reply);
              if (proved) {
                super.onHeaders(reply);
              } else {
                refused = true;
                ProvedCall.this.cancel("the reply has no valid proof", null);
              }
            }

            @Override
            public void onMessage(R message) {
              if (proved) {
                super.onMessage(message);
              }
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              if (refused || (status.isOk() && !proved)) {
                super.onClose(
                    unproven("its reply has no valid proof of the secret"), new Metadata());
              } else {
                super.onClose(status, trailers);
              }
            }
          },
          headers);
    }
  }
}

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
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.AuthenticationGrpc;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Client side of mutual authentication of control calls: every call of a channel requests a
 * challenge first and sends its answer. The reply must prove the identity of the called process,
 * too. Without a challenge the request is not sent; without a proof the reply is discarded. In both
 * cases the call fails with UNAUTHENTICATED and {@link UnprovenPeerException}. Thread-safe.
 */
public final class CallProofs implements ClientInterceptor {
  static final Metadata.Key<CallProof> PROOF =
      Metadata.Key.of(
          "sluice-proof-bin", ProtoUtils.metadataMarshaller(CallProof.getDefaultInstance()));

  /** Bytes of the caller's nonce. */
  static final int NONCE_LENGTH = 32;

  static final String CALL_LABEL = "sluice call v2";
  static final String REPLY_LABEL = "sluice reply v2";

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

  /**
   * One call.
   *
   * @param host host that was called, as its certificate must name it
   * @param name full name of the method
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Call(String host, String name, ChallengeReply challenge, byte[] nonce) {
    byte[] challengeBytes() {
      return challenge.getChallenge().toByteArray();
    }

    byte[] nameBytes() {
      return CallAuthenticator.ascii(name);
    }
  }

  /** The identity of the caller. */
  @FunctionalInterface
  private interface Prover {
    /**
     * Sets the caller and the answer to the challenge in a proof.
     *
     * @return decides whether the proof in a reply is valid
     * @throws SluiceException DENIED if the called process is not the expected one
     */
    Predicate<byte[]> answer(Call call, CallProof.Builder proof) throws SluiceException;
  }

  /** For a user. */
  public static CallProofs ofUser(UserCredential user, SecureRandom random) {
    return new CallProofs(
        (call, proof) -> {
          byte[] key = user.prove(proof, call.challenge(), call.name());
          byte[] expected = ReplyProofs.mac(key, call.challengeBytes(), call.nonce(), call.name());
          return found -> Hmac.same(expected, found);
        },
        ChallengeRequest.newBuilder().setUser(user.user()).build(),
        random,
        true);
  }

  /**
   * For an application's processes.
   *
   * @param called role of the called processes
   * @param clock for the validity of certificates
   */
  public static CallProofs ofApplication(
      ApplicationCredential credential, ProcessRole called, SecureRandom random, Clock clock) {
    return new CallProofs(
        (call, proof) -> {
          ProcessCertificate peer =
              credential.verify(
                  call.challenge().getCertificate(), called, call.host(), clock.millis());
          proof
              .setToken(credential.token())
              .setSignature(ByteString.copyFrom(credential.sign(CALL_LABEL, parts(call, peer))));
          return replies(call, peer);
        },
        ChallengeRequest.getDefaultInstance(),
        random,
        true);
  }

  /**
   * For a process of the cluster.
   *
   * @param called role of the called processes
   * @param required whether calls fail if the called process does not request a proof; otherwise
   *     they are sent without one, for the time in which a cluster is switched to authentication
   */
  public static CallProofs ofProcess(
      OwnIdentity process, ProcessRole called, SecureRandom random, boolean required) {
    return new CallProofs(
        (call, proof) -> {
          ProcessCertificate peer =
              process.verify(call.challenge().getCertificate()).require(called, call.host());
          Identity identity = process.identity();
          proof
              .setCertificate(identity.certificate().der())
              .setSignature(ByteString.copyFrom(identity.sign(CALL_LABEL, parts(call, peer))));
          return replies(call, peer);
        },
        ChallengeRequest.getDefaultInstance(),
        random,
        required);
  }

  /** The signed bytes: with the called process, so that it cannot forward the proof. */
  private static byte[][] parts(Call call, ProcessCertificate called) {
    return new byte[][] {call.challengeBytes(), call.nonce(), call.nameBytes(), called.hash()};
  }

  private static Predicate<byte[]> replies(Call call, ProcessCertificate called) {
    return found ->
        called.signed(found, REPLY_LABEL, call.challengeBytes(), call.nonce(), call.nameBytes());
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
    private volatile Predicate<byte[]> replyProof;

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
                  Metadata headers;
                  try {
                    headers = headers(challenge, call.getAuthority(), name);
                  } catch (SluiceException e) {
                    applier.fail(unproven(e.getMessage()));
                    return;
                  }
                  applier.apply(headers);
                }
              });
    }

    private Metadata headers(ChallengeReply challenge, String authority, String name)
        throws SluiceException {
      byte[] nonce = new byte[NONCE_LENGTH];
      random.nextBytes(nonce);
      CallProof.Builder proof =
          CallProof.newBuilder()
              .setChallenge(challenge.getChallenge())
              .setNonce(ByteString.copyFrom(nonce));
      replyProof = prover.answer(new Call(host(authority), name, challenge, nonce), proof);
      Metadata headers = new Metadata();
      headers.put(PROOF, proof.build());
      return headers;
    }

    private boolean isProvedBy(Metadata reply) {
      Predicate<byte[]> expected = replyProof;
      byte[] found = reply.get(ReplyProofs.PROOF);
      return expected == null || (found != null && expected.test(found));
    }
  }

  /**
   * The host of a channel's authority.
   *
   * @param authority a host, or host and port
   */
  private static String host(String authority) {
    // An overridden authority has no port.
    boolean hasPort = authority.matches("([^:]|\\[.*])+:[0-9]+");
    return hasPort ? HostPort.parse(authority).host() : authority;
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
                super.onClose(unproven("its reply has no valid proof"), new Metadata());
              } else {
                super.onClose(status, trailers);
              }
            }
          },
          headers);
    }
  }
}

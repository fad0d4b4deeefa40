package io.sluice.common.auth;

import io.grpc.stub.StreamObserver;
import io.sluice.proto.AuthenticationGrpc;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;

/** Service {@code sluice.v1.Authentication}: issues challenges to callers. Thread-safe. */
public final class AuthenticationService extends AuthenticationGrpc.AuthenticationImplBase {
  private final CallAuthenticator authenticator;

  public AuthenticationService(CallAuthenticator authenticator) {
    this.authenticator = authenticator;
  }

  @Override
  public void challenge(ChallengeRequest request, StreamObserver<ChallengeReply> replies) {
    replies.onNext(authenticator.challenge(request));
    replies.onCompleted();
  }
}

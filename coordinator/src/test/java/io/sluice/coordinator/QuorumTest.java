package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.rpc.AllCalls;
import io.sluice.proto.ConsensusGrpc;
import io.sluice.proto.ListApplicationsRequest;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.Status;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three coordinators with authentication and a quorum, in this process. The clock of the first one
 * is a minute fast, that of the last one a minute slow.
 */
@Timeout(120)
class QuorumTest {
  @TempDir Path directory;
  private SecuredQuorum quorum;

  @BeforeEach
  void start() throws IOException {
    quorum = new SecuredQuorum(directory);
    quorum.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    quorum.close();
  }

  @Test
  void everyCoordinatorActsForAll() {
    for (CoordinatorProcess coordinator : quorum.coordinators()) {
      String application = "ann~app-" + coordinator.rpcPort();

      RegisterApplicationReply reply = quorum.register(coordinator, application);

      assertThat(reply.getStatus()).isEqualTo(Status.OK);
      assertThat(reply.hasToken()).isTrue();
      for (CoordinatorProcess other : quorum.coordinators()) {
        assertThat(
                quorum
                    .stub(other)
                    .listApplications(ListApplicationsRequest.getDefaultInstance())
                    .getApplicationsList())
            .anyMatch(each -> each.getApplication().equals(application));
        assertThat(quorum.sendToLeader(other, "GET", "/api/v1/applications").body())
            .contains(application);
      }
    }
    HttpResponse<String> limited =
        quorum.sendToLeader(quorum.coordinators().get(0), "PUT", "/api/v1/quotas/bob");
    assertThat(limited.statusCode()).as(limited.body()).isEqualTo(200);
    for (CoordinatorProcess other : quorum.coordinators()) {
      assertThat(quorum.sendToLeader(other, "GET", "/api/v1/quotas").body()).contains("bob");
      assertThat(quorum.sendToLeader(other, "GET", "/api/v1/coordinators").body())
          .contains("127.0.0.1:" + quorum.coordinators().get(2).rpcPort());
    }
  }

  @Test
  void withoutAQuorumNothingIsDecidedAndTheReasonIsShown() {
    quorum.coordinators().get(0).close();
    quorum.coordinators().get(1).close();
    CoordinatorProcess left = quorum.coordinators().get(2);
    HttpResponse<String> ready = quorum.send(left, "GET", "/readyz");
    while (ready.statusCode() == 200) {
      ready = quorum.send(left, "GET", "/readyz");
    }
    assertThat(ready.body()).contains("no quorum");

    assertThatThrownBy(() -> quorum.register(left, "ann~late"))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Code.UNAVAILABLE));
    assertThat(quorum.send(left, "GET", "/api/v1/applications").statusCode()).isEqualTo(503);
    assertThat(quorum.send(left, "GET", "/healthz").statusCode()).isEqualTo(200);
  }

  private Map<String, Code> results(CallProofs... proofs) {
    return AllCalls.results(
        quorum.channel(quorum.coordinators().get(0), proofs),
        ConsensusGrpc.getServiceDescriptor(),
        AllCalls.methods(ConsensusGrpc.getServiceDescriptor()));
  }

  @Test
  void onlyCoordinatorsMayCallTheServiceOfCoordinators() {
    for (Map<String, Code> refused :
        List.of(
            results(),
            results(SecuredQuorum.proofs("ann")),
            results(SecuredQuorum.proofs("ops")),
            results(quorum.proofs(ProcessRole.SERVER)))) {
      assertThat(refused).containsOnlyKeys("Replicate", "Forward", "Membership");
      assertThat(refused.values()).containsOnly(Code.PERMISSION_DENIED);
    }
    assertThat(results(quorum.proofs(ProcessRole.COORDINATOR)).values())
        .hasSize(3)
        .doesNotContain(Code.PERMISSION_DENIED, Code.UNAUTHENTICATED);
  }
}

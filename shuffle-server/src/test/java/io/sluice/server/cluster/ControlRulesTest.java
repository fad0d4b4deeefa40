package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.MethodDescriptor;
import io.sluice.common.auth.Caller;
import io.sluice.proto.ShuffleServerControlGrpc;
import org.junit.jupiter.api.Test;

class ControlRulesTest {
  @Test
  void unauthenticatedCallersAreRefusedAtTheHeadersOfEveryCall() {
    ControlRules rules = new ControlRules(false);
    for (MethodDescriptor<?, ?> method :
        ShuffleServerControlGrpc.getServiceDescriptor().getMethods()) {
      assertThat(rules.refusal(Caller.ANONYMOUS, method.getBareMethodName()))
          .as(method.getBareMethodName())
          .startsWith(method.getBareMethodName());
    }
  }

  @Test
  void statusNeedsNoAuthenticationIfReadsAreOpen() {
    ControlRules rules = new ControlRules(true);

    assertThat(rules.refusal(Caller.ANONYMOUS, "GetStatus")).isNull();
    assertThat(rules.refusal(Caller.ANONYMOUS, "Decommission")).isNotNull();
  }
}

package io.sluice.common.rpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Calls the methods of a service, with empty requests, so that a test covers later ones too. */
public final class AllCalls {
  private static final int TIMEOUT_SECONDS = 60;

  private AllCalls() {}

  /** Names of all methods, without the service. */
  public static Set<String> methods(ServiceDescriptor service) {
    return service.getMethods().stream()
        .map(MethodDescriptor::getBareMethodName)
        .collect(Collectors.toSet());
  }

  /** Calls methods of a service, all of which are unary. */
  public static Map<String, Status.Code> results(
      Channel channel, ServiceDescriptor service, Set<String> methods) {
    Map<String, Status.Code> results = new TreeMap<>();
    for (MethodDescriptor<?, ?> method : service.getMethods()) {
      if (methods.contains(method.getBareMethodName())) {
        results.put(method.getBareMethodName(), result(channel, method));
      }
    }
    return results;
  }

  private static <Q, R> Status.Code result(Channel channel, MethodDescriptor<Q, R> method) {
    PrototypeMarshaller<Q> requests = (PrototypeMarshaller<Q>) method.getRequestMarshaller();
    try {
      R unused =
          ClientCalls.blockingUnaryCall(
              channel,
              method,
              CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS),
              requests.getMessagePrototype());
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }
}

package io.sluice.it.mapreduce;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Injects the {@link Clusters} into tests: started for the first test, closed after the last. */
final class SharedClusters implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(SharedClusters.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Clusters.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(Clusters.class, unused -> started(), Clusters.class);
  }

  private static Clusters started() {
    try {
      Clusters clusters = new Clusters();
      try {
        clusters.start();
      } catch (Exception e) {
        clusters.close();
        throw e;
      }
      return clusters;
    } catch (Exception e) {
      throw new IllegalStateException("the clusters failed to start: " + e.getMessage(), e);
    }
  }
}

/** Classes that {@code DowngradeJarTest} downgrades and runs. */
package io.sluice.downgrade.sample;

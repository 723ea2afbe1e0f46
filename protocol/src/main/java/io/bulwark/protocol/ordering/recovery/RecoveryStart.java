package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.key.Signing;
import java.util.random.RandomGenerator;

/**
 * Beginning of a life, as far as it concerns recoveries.
 *
 * @param found the state of this replica's recovery according to its log, and to the reason of the start
 * @param signing signs the own requests, and checks those of the others
 * @param random draws nonces; must be unpredictable
 */
public record RecoveryStart(LogRecord.Recovery found, Signing signing, RandomGenerator random) {}

package io.bulwark.console.fault;

import java.util.List;

/**
 * A fault with its proof in words.
 *
 * @param steps from the observation to the conclusion
 * @param limits what the proof does not show
 * @param next what an operator does now
 */
record FaultDetail(FaultView fault, List<String> steps, List<String> limits, String next) {}

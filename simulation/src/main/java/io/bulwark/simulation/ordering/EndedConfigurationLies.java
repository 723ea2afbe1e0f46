package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage.OrderedQuery;
import io.bulwark.protocol.ordering.OrderingMessage.Query;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.OrderingMessage.ToReplica;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Commit;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Messages that faulty replicas still send in ended configurations of which they were members, beside those in the
 * current one.
 */
final class EndedConfigurationLies {
    private static final int SILENT_ONE_IN = 6;

    private final OrderingWorld world;
    private final TrueConfigurations real;
    private final Random random;

    EndedConfigurationLies(OrderingWorld world, TrueConfigurations real, Random random) {
        this.world = world;
        this.real = real;
        this.random = random;
    }

    /** Returns answers that were true at the end of each configuration, and claims that submitted requests are done. */
    List<Reply> answers(int self, ToReplica request) {
        List<Reply> answers = new ArrayList<>();
        for (int number = 0; number < real.last(); number++) {
            if (real.of(number).placeOf(PrincipalId.replica(self)) >= 0 && random.nextInt(SILENT_ONE_IN) != 0) {
                Bytes said = switch (request) {
                    case Submit _ -> RegisterState.DONE;
                    case OrderedQuery query -> value(number, query.query());
                    case Query query -> value(number, query.query());
                };
                answers.add(new Reply(request.call(), Configuration.incarnationOf(number), said));
            }
        }
        return answers;
    }

    private Bytes value(int number, Bytes query) {
        int key = RegisterOperation.key(query);
        return key < 0 || key >= OrderingClients.KEYS ? Bytes.EMPTY : real.valueAtEnd(number, key);
    }

    /** Votes for every batch that others propose or vote for there, and claims the state of any asker. */
    void heard(int self, int from, long number, ReplicaMessage said) {
        if (number >= real.last()
                || world.isFaulty(from)
                || real.of(number).placeOf(PrincipalId.replica(self)) < 0
                || random.nextInt(SILENT_ONE_IN) == 0) {
            return;
        }
        switch (said) {
            case PrePrepare pre ->
                vote(self, number, pre.view(), pre.sequence(), pre.batch().digest());
            case Prepare prepare -> vote(self, number, prepare.view(), prepare.sequence(), prepare.digest());
            case Commit commit -> vote(self, number, commit.view(), commit.sequence(), commit.digest());
            case Executed _, Checkpoint _, Status _ -> world.transmit(self, from, number, said);
            default -> {}
        }
    }

    private void vote(int self, long number, long view, long sequence, Bytes digest) {
        for (Member member : real.of(number).members()) {
            int to = member.replica().number();
            OrderedMember other = world.processes().memberOf(to);
            if (other != null && other.configuration() == number && !world.isFaulty(to)) {
                world.transmit(self, to, number, new Prepare(view, sequence, digest));
                world.transmit(self, to, number, new Commit(view, sequence, digest));
            }
        }
    }
}

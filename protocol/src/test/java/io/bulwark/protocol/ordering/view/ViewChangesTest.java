package io.bulwark.protocol.ordering.view;

import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.stable;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ForwardedViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChangeAck;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One replica of four (f = 1) in view changes; replica 1 is the primary of view 1, replica 2 of view 2. */
class ViewChangesTest {
    private static final ViewGroup GROUP = ViewChangeBuilder.group(1);
    private static final long TIMEOUT_MILLIS = 1_000;
    private static final ViewChange EMPTY = stable(1, 0).message();

    /** Says the same as {@link #EMPTY}, and that a batch pre-prepared. */
    private static final ViewChange OTHER = stable(1, 0).prePrepared(1, 7, 0).message();

    private static ViewChanges replica(int self) {
        return new ViewChanges(GROUP, self, TIMEOUT_MILLIS, (_, _) -> true);
    }

    /** A replica that has asked for view 1. */
    private static ViewChanges opened(int self) {
        ViewChanges changes = replica(self);
        assertThat(changes.suspect(0)).containsExactly(new ViewStep.Leave(1));
        assertThat(changes.isActive()).isFalse();
        assertThat(sentTo(0, changes.onEntered(0, EMPTY))).hasSize(self == 0 ? 0 : 1);
        return changes;
    }

    private static List<ReplicaMessage> sentTo(int replica, List<ViewStep> steps) {
        List<ReplicaMessage> sent = new ArrayList<>();
        for (ViewStep step : steps) {
            if (step instanceof ViewStep.Send(int to, ReplicaMessage message) && to == replica) {
                sent.add(message);
            }
        }
        return sent;
    }

    private static ViewChangeAck ack(int of, ViewChange message) {
        return new ViewChangeAck(message.view(), of, ViewDigest.of(message));
    }

    private static NewView newView(ViewChange... byReplica) {
        List<Support> support = new ArrayList<>();
        for (int replica = 0; replica < byReplica.length; replica++) {
            support.add(new Support(replica, ViewDigest.of(byReplica[replica])));
        }
        return newView(support, ViewChangeBuilder.NULL);
    }

    private static NewView newView(List<Support> support, Bytes first) {
        List<Numbered> chosen = new ArrayList<>();
        for (long number = 1; number <= ViewChangeBuilder.LOG; number++) {
            chosen.add(new Numbered(number, number == 1 ? first : ViewChangeBuilder.NULL));
        }
        return new NewView(1, support, ViewChangeBuilder.checkpoint(0), chosen);
    }

    /** Returns the NEW-VIEW for the case that nobody has reported any number. */
    private static NewView leavingFree(NewView all) {
        return new NewView(all.view(), all.support(), all.checkpoint(), List.of());
    }

    private static NewView inView(long view, NewView all) {
        return new NewView(view, all.support(), all.checkpoint(), all.chosen());
    }

    private static Status status(long view, boolean inView, long viewChanges) {
        return new Status(view, inView, 0, 0, Bytes.EMPTY, Bytes.EMPTY, viewChanges, false);
    }

    @Test
    void nothingIsSentBeforeTheOwnViewChangeIsDurable() {
        ViewChanges changes = replica(3);
        changes.suspect(0);
        assertThat(changes.onMessage(0, 0, EMPTY)).isEmpty();
        assertThat(changes.onMessage(0, 1, newView(EMPTY, EMPTY, EMPTY))).isEmpty();
        assertThat(changes.onTick(1)).isEmpty();
        assertThat(changes.onEntered(1, stable(2, 0).message()))
                .as("another view's")
                .isEmpty();
        List<ViewStep> steps = changes.onEntered(1, EMPTY);
        assertThat(sentTo(0, steps)).contains(EMPTY);
        assertThat(sentTo(1, steps)).contains(EMPTY, ack(0, EMPTY));
    }

    @PlantedBug(
            in = ViewChangeSet.class,
            rule = "2f - 1 acknowledgements admit a VIEW-CHANGE",
            replace = ">= 2 * group.faulty() - 1",
            with = ">= 2 * group.faulty() - 2")
    @PlantedBug(
            in = ViewChangeSet.class,
            rule = "a sender does not acknowledge its own VIEW-CHANGE",
            replace = "replica != sender && replica != primary",
            with = "replica != primary")
    @PlantedBug(
            in = ViewChangeSet.class,
            rule = "acknowledgements of another digest do not count",
            replace = "ack.equals(acks[sender][replica])",
            with = "acks[sender][replica] != null")
    @Test
    void thePrimaryWaitsForAcknowledgementsOfOthers() {
        ViewChanges primary = opened(1);
        assertThat(primary.onMessage(0, 0, EMPTY)).isEmpty();
        assertThat(primary.onMessage(0, 2, EMPTY)).isEmpty();
        assertThat(primary.onMessage(0, 0, ack(2, EMPTY))).isEmpty();
        assertThat(primary.onMessage(0, 0, ack(0, EMPTY))).as("about its own").isEmpty();
        assertThat(primary.onMessage(0, 3, ack(0, OTHER)))
                .as("of another digest")
                .isEmpty();
        List<ViewStep> steps = primary.onMessage(0, 2, ack(0, EMPTY));
        NewView decided = leavingFree(newView(EMPTY, EMPTY, EMPTY));
        assertThat(steps).containsExactly(new ViewStep.Install(decided));
        List<ViewStep> sends = primary.installed(decided);
        assertThat(primary.isActive()).isTrue();
        for (int other : List.of(0, 2, 3)) {
            assertThat(sentTo(other, sends)).containsExactly(decided);
        }
    }

    @Test
    void withFTwoThePrimaryNeedsThreeAcknowledgements() {
        ViewChanges primary = new ViewChanges(ViewChangeBuilder.group(2), 1, TIMEOUT_MILLIS, (_, _) -> true);
        primary.suspect(0);
        primary.onEntered(0, EMPTY);
        List<ViewStep> steps = new ArrayList<>();
        for (int other : List.of(0, 2, 3, 4)) {
            steps.addAll(primary.onMessage(0, other, EMPTY));
            steps.addAll(primary.onMessage(0, 5, ack(other, EMPTY)));
            steps.addAll(primary.onMessage(0, 6, ack(other, EMPTY)));
        }
        assertThat(steps).isEmpty();
        for (int other : List.of(0, 2, 3)) {
            assertThat(primary.onMessage(0, 4, ack(other, EMPTY))).isEmpty();
        }
        assertThat(primary.onMessage(0, 3, ack(4, EMPTY)))
                .containsExactly(new ViewStep.Install(leavingFree(newView(EMPTY, EMPTY, EMPTY, EMPTY, EMPTY))));
    }

    @Test
    void afterAViewThatBroughtNothingEachNumberGetsAChoice() {
        ViewChange second = stable(2, 0).message();
        NewView all = inView(2, newView(second, second, second));
        assertThat(decidedInViewTwo(false)).isEqualTo(all);
        assertThat(decidedInViewTwo(true)).isEqualTo(leavingFree(all));
    }

    private static NewView decidedInViewTwo(boolean progress) {
        ViewChange own = stable(2, 0).message();
        ViewChanges primary = replica(2);
        primary.suspect(0);
        if (progress) {
            primary.onProgress();
        }
        primary.suspect(1);
        primary.onEntered(0, own);
        return decided(primary, own);
    }

    /** Returns the decision of the primary after two others have sent the same and acknowledged each other's. */
    private static NewView decided(ViewChanges primary, ViewChange same) {
        List<Integer> others = primary.primary() == 1 ? List.of(0, 2) : List.of(0, 1);
        List<ViewStep> steps = new ArrayList<>();
        others.forEach(other -> steps.addAll(primary.onMessage(0, other, same)));
        steps.addAll(primary.onMessage(0, others.getFirst(), ack(others.getLast(), same)));
        steps.addAll(primary.onMessage(0, others.getLast(), ack(others.getFirst(), same)));
        assertThat(steps).hasSize(1).first().isInstanceOf(ViewStep.Install.class);
        return ((ViewStep.Install) steps.getFirst()).newView();
    }

    @Test
    void thePrimaryAsksForWhatOnlyA3Misses() {
        boolean[] here = {false};
        ViewChanges primary = new ViewChanges(GROUP, 1, TIMEOUT_MILLIS, (_, _) -> here[0]);
        ViewChange prepared = stable(1, 0).prepared(1, 7, 0).message();
        primary.suspect(0);
        primary.onEntered(0, OTHER);
        primary.onMessage(0, 0, prepared);
        primary.onMessage(0, 2, prepared);
        primary.onMessage(0, 2, ack(0, prepared));
        assertThat(primary.onMessage(0, 0, ack(2, prepared)))
                .containsExactly(new ViewStep.Missing(List.of(new Numbered(1, ViewChangeBuilder.digest(7)))));
        assertThat(primary.onTick(10)).as("said once").isEmpty();
        here[0] = true;
        assertThat(primary.onBodies(20)).hasAtLeastOneElementOfType(ViewStep.Install.class);
    }

    @PlantedBug(
            in = ViewChanges.class,
            rule = "only the primary of a view sends its NEW-VIEW",
            replace = "from != primary() || newView != null",
            with = "newView != null")
    @Test
    void aBackupAcknowledgesToThePrimaryAndChecksTheNewView() {
        ViewChanges backup = opened(3);
        assertThat(backup.onMessage(0, 0, EMPTY)).containsExactly(new ViewStep.Send(1, ack(0, EMPTY)));
        assertThat(backup.onMessage(0, 0, OTHER)).as("a second one").isEmpty();
        assertThat(backup.onMessage(0, 1, EMPTY)).containsExactly(new ViewStep.Send(1, ack(1, EMPTY)));
        NewView decided = newView(
                List.of(
                        new Support(0, ViewDigest.of(EMPTY)),
                        new Support(1, ViewDigest.of(EMPTY)),
                        new Support(3, ViewDigest.of(EMPTY))),
                ViewChangeBuilder.NULL);
        assertThat(backup.onMessage(0, 2, decided)).as("not the primary's").isEmpty();
        assertThat(backup.onMessage(0, 1, decided)).containsExactly(new ViewStep.Install(decided));
        assertThat(backup.isActive()).isFalse();
        assertThat(backup.installed(decided)).isEmpty();
        assertThat(backup.isActive()).isTrue();
    }

    @PlantedBug(
            in = ViewChanges.class,
            rule = "a backup checks a NEW-VIEW",
            replace = "decision.supports(message.checkpoint(), message.chosen())",
            with = "true")
    @Test
    void whatTheViewChangesDoNotSupportLeadsToTheNextView() {
        ViewChanges backup = opened(3);
        backup.onMessage(0, 0, EMPTY);
        backup.onMessage(0, 1, EMPTY);
        backup.onMessage(0, 2, EMPTY);
        NewView invented = newView(newView(EMPTY, EMPTY, EMPTY).support(), ViewChangeBuilder.digest(7));
        List<ViewStep> steps = backup.onMessage(0, 1, invented);
        assertThat(steps).hasSize(2).contains(new ViewStep.Leave(2));
        assertThat(steps).first().isInstanceOf(ViewStep.Misbehaved.class);
    }

    @Test
    void aNewViewThatLeavesFreeWhatPreparedLeadsToTheNextView() {
        ViewChange prepared = stable(1, 0).prepared(1, 7, 0).message();
        ViewChanges backup = opened(3);
        backup.onMessage(0, 0, prepared);
        backup.onMessage(0, 1, EMPTY);
        backup.onMessage(0, 2, EMPTY);
        NewView decided = leavingFree(newView(prepared, EMPTY, EMPTY));
        assertThat(backup.onMessage(0, 1, decided)).contains(new ViewStep.Leave(2));
        ViewChanges another = opened(3);
        another.onMessage(0, 0, EMPTY);
        another.onMessage(0, 1, EMPTY);
        another.onMessage(0, 2, EMPTY);
        NewView right = leavingFree(newView(EMPTY, EMPTY, EMPTY));
        assertThat(another.onMessage(0, 1, right)).containsExactly(new ViewStep.Install(right));
    }

    @Test
    void aNewViewThatNamesWhatThisReplicaNeverSaidIsRefused() {
        ViewChanges backup = opened(2);
        backup.onMessage(0, 0, EMPTY);
        backup.onMessage(0, 1, EMPTY);
        assertThat(backup.onMessage(0, 1, newView(EMPTY, EMPTY, OTHER))).contains(new ViewStep.Leave(2));
    }

    /** The replica has only a message from the primary, which may lie. */
    @Test
    void whoAsksAloneStaysThoughTheNewViewIsWrongAndTakesNoOther() {
        ViewChanges backup = opened(2);
        List<ViewStep> steps = backup.onMessage(0, 1, newView(EMPTY, EMPTY, OTHER));
        assertThat(steps).hasOnlyElementsOfType(ViewStep.Misbehaved.class);
        assertThat(backup.onMessage(0, 1, newView(EMPTY, EMPTY, EMPTY))).isEmpty();
        assertThat(backup.onTick(100 * TIMEOUT_MILLIS)).isEmpty();
        assertThat(sentTo(1, backup.onMessage(0, 0, EMPTY))).containsExactly(ack(0, EMPTY));
        assertThat(backup.view()).isEqualTo(1);
        assertThat(backup.onMessage(0, 1, EMPTY)).contains(new ViewStep.Leave(2));
    }

    @Test
    void whoHasLeftAViewThatNothingCameOfLeadsTheNext() {
        ViewChange second = stable(2, 0).message();
        ViewChanges primary = opened(2);
        primary.giveUp(0);
        primary.onMessage(0, 0, EMPTY);
        assertThat(primary.onMessage(0, 1, EMPTY)).contains(new ViewStep.Leave(2));
        primary.onEntered(0, second);
        assertThat(decided(primary, second).view()).isEqualTo(2);
    }

    @Test
    void aPrimaryGivesUpAViewWhoseNewViewIsNotDurableYet() {
        ViewChanges primary = opened(1);
        decided(primary, EMPTY);
        assertThat(primary.giveUp(0)).containsExactly(new ViewStep.Leave(2));
    }

    @Test
    void whoHasReturnedTakesNoPartInAViewThatNamesWhatItSaidBefore() {
        ViewChange forged = stable(3, 0).message();
        ViewChanges backup = ViewChanges.restarted(GROUP, 2, TIMEOUT_MILLIS, (_, _) -> true, forged, null);
        assertThat(backup.returnTo(1)).containsExactly(new ViewStep.Leave(1));
        backup.onEntered(0, EMPTY);
        backup.onMessage(0, 0, forged);
        assertThat(backup.onMessage(0, 3, forged)).contains(new ViewStep.Leave(3));
        backup.onEntered(0, new ViewChange(3, 0, EMPTY.checkpoints(), OTHER.prepared(), OTHER.prePrepared()));
        NewView first = newView(List.of(), ViewChangeBuilder.NULL);
        List<Support> named = new ArrayList<>();
        for (int replica : List.of(0, 2, 3)) {
            named.add(new Support(replica, ViewDigest.of(forged)));
        }
        List<ViewStep> steps = backup.onMessage(0, 3, new NewView(3, named, first.checkpoint(), first.chosen()));
        assertThat(steps).contains(new ViewStep.Leave(4)).noneMatch(ViewStep.Install.class::isInstance);
    }

    @PlantedBug(
            in = ViewChecks.class,
            rule = "a NEW-VIEW is made of 2f + 1 VIEW-CHANGEs",
            replace = "message.support().size() < group.quorum()",
            with = "message.support().size() < group.quorum() - 1")
    @Test
    void malformedMessagesAreTheirSendersMisbehaviour() {
        ViewChanges backup = opened(3);
        ViewChange twice = new ViewChange(
                1, 0, List.of(ViewChangeBuilder.checkpoint(0), ViewChangeBuilder.checkpoint(0)), List.of(), List.of());
        assertThat(backup.onMessage(0, 0, twice)).hasOnlyElementsOfType(ViewStep.Misbehaved.class);
        NewView few = newView(EMPTY, EMPTY);
        assertThat(backup.onMessage(0, 1, few)).hasOnlyElementsOfType(ViewStep.Misbehaved.class);
        List<Numbered> many = new ArrayList<>(newView(EMPTY, EMPTY, EMPTY).chosen());
        many.add(new Numbered(ViewChangeBuilder.LOG + 1, ViewChangeBuilder.NULL));
        NewView tooMany = new NewView(1, newView(EMPTY, EMPTY, EMPTY).support(), ViewChangeBuilder.checkpoint(0), many);
        assertThat(backup.onMessage(0, 1, tooMany)).hasOnlyElementsOfType(ViewStep.Misbehaved.class);
        assertThat(backup.viewChanges()).isEqualTo(0b1000);
        assertThat(backup.hasNewView()).isFalse();
    }

    @PlantedBug(
            in = ViewChangeSet.class,
            rule = "a backup believes a VIEW-CHANGE that f others acknowledge",
            replace = "acknowledged(named.replica(), other, primary) >= group.faulty()",
            with = "acknowledged(named.replica(), other, primary) >= 0")
    @PlantedBug(
            in = ViewChangeSet.class,
            rule = "a backup takes only VIEW-CHANGEs that the NEW-VIEW names",
            replace = "if (newView.support().contains(new Support(replica, held.digest))) {",
            with = "if (!newView.support().isEmpty()) {")
    @Test
    void aBackupBelievesWhatFOthersAcknowledge() {
        ViewChanges backup = opened(3);
        backup.onMessage(0, 1, EMPTY);
        backup.onMessage(0, 2, EMPTY);
        NewView decided = newView(OTHER, EMPTY, EMPTY);
        FetchViewChange fetch = new FetchViewChange(1, 0, ViewDigest.of(OTHER));
        assertThat(sentTo(2, backup.onMessage(0, 1, decided))).containsExactly(fetch);
        assertThat(backup.onMessage(0, 1, new ForwardedViewChange(0, EMPTY))).isEmpty();
        assertThat(backup.onMessage(0, 1, new ForwardedViewChange(0, OTHER))).isEmpty();
        assertThat(backup.onMessage(0, 1, ack(0, OTHER)))
                .as("the primary does not count")
                .isEmpty();
        assertThat(backup.onMessage(0, 2, ack(0, OTHER))).containsExactly(new ViewStep.Install(decided));
    }

    @Test
    void whatANewViewNamesIsHandedOutWithAnAcknowledgement() {
        ViewChanges backup = opened(2);
        backup.onMessage(0, 0, EMPTY);
        FetchViewChange fetch = new FetchViewChange(1, 0, ViewDigest.of(EMPTY));
        assertThat(sentTo(3, backup.onMessage(0, 3, fetch)))
                .containsExactly(new ForwardedViewChange(0, EMPTY), ack(0, EMPTY));
        assertThat(backup.onMessage(1, 3, fetch)).as("too soon again").isEmpty();
        assertThat(backup.onMessage(0, 3, new FetchViewChange(1, 0, ViewDigest.of(OTHER))))
                .isEmpty();
        assertThat(sentTo(3, backup.onMessage(0, 3, new FetchViewChange(1, 2, ViewDigest.of(EMPTY)))))
                .containsExactly(EMPTY);
    }

    @PlantedBug(
            in = ViewChecks.class,
            rule = "f + 1 others must ask before a replica joins them",
            replace = "views[views.length - group.weakQuorum()]",
            with = "views[views.length - group.faulty()]")
    @Test
    void aReplicaJoinsTheLowestViewOfFPlusOneOthers() {
        ViewChanges backup = replica(3);
        assertThat(backup.onMessage(0, 0, stable(5, 0).message())).isEmpty();
        assertThat(backup.view()).isZero();
        assertThat(backup.onMessage(0, 1, stable(2, 0).message())).containsExactly(new ViewStep.Leave(2));
        assertThat(backup.onMessage(0, 1, stable(9, 0).message())).containsExactly(new ViewStep.Leave(5));
    }

    @Test
    void theTimerStartsAtTwoFPlusOneViewChangesAndDoubles() {
        ViewChanges backup = opened(3);
        assertThat(backup.onMessage(0, 0, EMPTY)).hasSize(1);
        assertThat(backup.onTick(100 * TIMEOUT_MILLIS)).isEmpty();
        long begin = 100 * TIMEOUT_MILLIS;
        backup.onMessage(begin, 2, EMPTY);
        assertThat(backup.onTick(begin + TIMEOUT_MILLIS - 1)).isEmpty();
        assertThat(backup.onTick(begin + TIMEOUT_MILLIS)).containsExactly(new ViewStep.Leave(2));
        begin += TIMEOUT_MILLIS;
        backup.onEntered(begin, stable(2, 0).message());
        backup.onMessage(begin, 0, stable(2, 0).message());
        assertThat(backup.onTick(begin + 9 * TIMEOUT_MILLIS)).isEmpty();
        begin += 9 * TIMEOUT_MILLIS;
        backup.onMessage(begin, 1, stable(3, 0).message());
        assertThat(backup.onTick(begin + 2 * TIMEOUT_MILLIS - 1))
                .as("one that asks for a later view counts")
                .isEmpty();
        assertThat(backup.onTick(begin + 2 * TIMEOUT_MILLIS)).containsExactly(new ViewStep.Leave(3));
        assertThat(backup.timeoutMillis()).isEqualTo(4 * TIMEOUT_MILLIS);
    }

    @Test
    void progressMakesTheTimerShortAgain() {
        ViewChanges backup = opened(3);
        assertThat(backup.suspect(0)).as("not this view").isEmpty();
        backup.suspect(1);
        assertThat(backup.timeoutMillis()).isEqualTo(2 * TIMEOUT_MILLIS);
        backup.onProgress();
        backup.suspect(2);
        assertThat(backup.timeoutMillis()).isEqualTo(TIMEOUT_MILLIS);
    }

    @PlantedBug(
            in = ViewChanges.class,
            rule = "a VIEW-CHANGE under old keys does not count",
            replace = "messages.forget(peer);",
            with = "")
    @Test
    void newKeysOfAPeerUndoWhatItSaidInAnOpenViewChange() {
        ViewChanges primary = opened(1);
        primary.onMessage(0, 0, EMPTY);
        primary.onMessage(0, 2, EMPTY);
        primary.onMessage(0, 2, ack(0, EMPTY));
        primary.onKeyChange(2);
        assertThat(primary.viewChanges()).isEqualTo(0b0011);
        assertThat(primary.onMessage(0, 0, ack(2, EMPTY))).isEmpty();
        assertThat(primary.onMessage(0, 2, EMPTY))
                .as("the acknowledgement of 2 for 0 is gone, too")
                .isEmpty();
        assertThat(primary.onMessage(0, 2, ack(0, EMPTY))).hasOnlyElementsOfType(ViewStep.Install.class);
    }

    @Test
    void newKeysOfThePrimaryUndoItsNewView() {
        ViewChanges backup = opened(3);
        backup.onMessage(0, 1, newView(EMPTY, EMPTY, EMPTY));
        assertThat(backup.hasNewView()).isTrue();
        backup.onKeyChange(1);
        assertThat(backup.hasNewView()).isFalse();
        backup.onMessage(0, 0, EMPTY);
        backup.onMessage(0, 2, EMPTY);
        assertThat(backup.onMessage(0, 1, EMPTY)).containsExactly(new ViewStep.Send(1, ack(1, EMPTY)));
    }

    @Test
    void newKeysUndoTheWishForALaterView() {
        ViewChanges backup = replica(3);
        backup.onMessage(0, 0, EMPTY);
        backup.onKeyChange(0);
        assertThat(backup.onMessage(0, 1, EMPTY)).isEmpty();
        assertThat(backup.onMessage(0, 2, EMPTY)).containsExactly(new ViewStep.Leave(1));
    }

    @Test
    void statusBringsWhatIsMissing() {
        ViewChanges primary = opened(1);
        assertThat(primary.onMessage(0, 0, status(0, true, 0))).containsExactly(new ViewStep.Send(0, EMPTY));
        assertThat(primary.onMessage(1, 0, status(0, true, 0)))
                .as("too soon again")
                .isEmpty();
        assertThat(primary.onMessage(0, 2, status(1, false, 0b0010)))
                .as("has it")
                .isEmpty();
        assertThat(primary.onMessage(0, 3, status(2, false, 0))).isEmpty();
        primary.onMessage(0, 0, EMPTY);
        primary.onMessage(0, 2, EMPTY);
        primary.onMessage(0, 2, ack(0, EMPTY));
        primary.onMessage(0, 0, ack(2, EMPTY));
        NewView decided = leavingFree(newView(EMPTY, EMPTY, EMPTY));
        primary.installed(decided);
        assertThat(primary.onMessage(1_000, 3, status(1, false, 0)))
                .containsExactly(new ViewStep.Send(3, EMPTY), new ViewStep.Send(3, decided));
        assertThat(primary.onMessage(1_000, 2, status(1, true, 0))).isEmpty();
    }

    @Test
    void acknowledgementsAreRepeatedToThePrimaryThatAsks() {
        ViewChanges backup = opened(3);
        backup.onMessage(0, 0, EMPTY);
        assertThat(backup.onMessage(0, 1, status(1, false, 0b1011)))
                .containsExactly(new ViewStep.Send(1, ack(0, EMPTY)));
    }

    @PlantedBug(
            in = ViewChanges.class,
            rule = "an open view change outlives a restart",
            replace = "changes.phase = Phase.OPEN;",
            with = "")
    @Test
    void aReplicaThatCrashedInAnOpenViewChangeGoesOnWithIt() {
        ViewChange own = stable(3, 0).message();
        ViewChanges backup = ViewChanges.restarted(GROUP, 1, TIMEOUT_MILLIS, (_, _) -> true, own, null);
        assertThat(backup.isActive()).isFalse();
        assertThat(backup.view()).isEqualTo(3);
        assertThat(backup.timeoutMillis()).isEqualTo(4 * TIMEOUT_MILLIS);
        assertThat(backup.onMessage(0, 0, status(1, true, 0))).containsExactly(new ViewStep.Send(0, own));
        backup.onMessage(5, 0, own);
        backup.onMessage(7, 2, own);
        assertThat(backup.onTick(7 + 4 * TIMEOUT_MILLIS)).containsExactly(new ViewStep.Leave(4));
    }

    @Test
    void aReplicaThatCrashedInAViewIsInItAgain() {
        NewView installed = newView(EMPTY, EMPTY, EMPTY);
        ViewChanges primary = ViewChanges.restarted(GROUP, 1, TIMEOUT_MILLIS, (_, _) -> true, EMPTY, installed);
        assertThat(primary.isActive()).isTrue();
        assertThat(primary.view()).isEqualTo(1);
        assertThat(primary.onMessage(0, 3, status(1, false, 0b1111))).containsExactly(new ViewStep.Send(3, installed));
    }

    @Test
    void strangersAndNonsenseAreIgnored() {
        ViewChanges backup = opened(3);
        List<ViewStep> steps = new ArrayList<>();
        for (int from : Arrays.asList(-1, 3, 4, 99)) {
            steps.addAll(backup.onMessage(0, from, EMPTY));
        }
        steps.addAll(backup.onMessage(0, 0, new ViewChangeAck(1, 99, ViewDigest.of(EMPTY))));
        steps.addAll(backup.onMessage(0, 0, new ViewChangeAck(1, -1, ViewDigest.of(EMPTY))));
        steps.addAll(backup.onMessage(0, 0, new FetchViewChange(1, 99, ViewDigest.of(EMPTY))));
        steps.addAll(backup.onMessage(0, 0, new ForwardedViewChange(99, EMPTY)));
        assertThat(steps).isEmpty();
        assertThat(backup.viewChanges()).isEqualTo(0b1000);
    }
}

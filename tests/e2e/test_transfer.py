"""Moving a seat to another device by a ticket, during a race."""

from tests.e2e.protocol_client import connected, running_race, running_server, solution

from sliderace.protocol import messages as m


async def test_a_seat_moves_to_another_device_once() -> None:
    """The board moves too; the first device is disconnected, the ticket used up."""
    async with running_server() as server, running_race(server.port, 2) as (ann, ben):
        await ann.send(ann.slides(solution(ann.board)[:2]))
        await ann.acked(2)
        await ann.send(m.Transfer())
        ticket = (await ann.until(m.Ticket)).ticket
        assert ticket != ann.token
        redeem = m.Redeem(code=ann.code, ticket=ticket)
        async with connected(server.port, redeem) as phone:
            assert await ann.closed() == 4503
            assert (phone.member, phone.seat, phone.seq) == (ann.member, ann.seat, 2)
            assert phone.token not in ("", ann.token, ticket)
            async with connected(server.port) as eve:
                await eve.send(m.Hello(v=1, enter=redeem))
                assert (await eve.until(m.Refused)).code == "bad_ticket"
                assert await eve.closed() == 4500
            await phone.solve()
            received = await ben.until(m.StandingEvent)
            assert (received.standing.seat, received.standing.status) == (
                ann.seat,
                "finished",
            )


async def test_the_new_and_the_previous_device_may_reconnect() -> None:
    """A lost welcome loses no seat; using the new token ends the previous one."""
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
    ):
        tokens = [ann.token]
        await ann.send(m.Transfer())
        ticket = (await ann.until(m.Ticket)).ticket
        async with connected(server.port, m.Redeem(ann.code, ticket)) as phone:
            tokens.append(phone.token)
            for token in tokens:
                async with connected(server.port, m.Resume(ann.code, token)) as again:
                    assert again.member == ann.member
            async with (
                connected(server.port, m.Resume(ann.code, tokens[1])) as again,
                connected(server.port) as first,
            ):
                await first.send(m.Hello(v=1, enter=m.Resume(ann.code, tokens[0])))
                assert (await first.until(m.Refused)).code == "bad_token"
                await again.sync()


async def test_tickets_of_a_former_member_are_invalid() -> None:
    async with (
        running_server() as server,
        connected(server.port, m.Create(name="Ann")) as ann,
        connected(server.port, m.Join(code=ann.code, name="Ben")) as ben,
    ):
        await ben.send(m.Transfer())
        ticket = (await ben.until(m.Ticket)).ticket
        await ben.send(m.Leave())
        assert await ben.closed() == 1000
        async with connected(server.port) as phone:
            await phone.send(m.Hello(v=1, enter=m.Redeem(ann.code, ticket)))
            assert (await phone.until(m.Refused)).code == "bad_ticket"

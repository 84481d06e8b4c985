"""The Chinese reader, case by case; every text is our own."""

from __future__ import annotations

import pytest

from service.citations import ArticleIndex, Surrounding, read_citations
from service.domain import Citation, CitationFlag, Jurisdiction, Language

COMPANY_3 = "最高人民法院关于适用《中华人民共和国公司法》若干问题的规定（三）"
THEFT = "最高人民法院、最高人民检察院关于办理盗窃刑事案件适用法律若干问题的解释"
FAMILY_1 = "最高人民法院关于适用《中华人民共和国民法典》婚姻家庭编的解释（一）"


def read(text: str, act: str | None = None, article: str | None = None, **options: object) -> list[Citation]:
    surrounding = Surrounding(act=act, article=article)
    found = read_citations(text, Language.ZH, surrounding=surrounding, **options)  # type: ignore[arg-type]
    for citation in found:
        assert text[citation.start : citation.end] == citation.raw
    return found


def short(citation: Citation) -> str:
    units = [citation.article, citation.part, citation.point, citation.subpoint]
    while units and units[-1] is None:
        units.pop()
    name = citation.act or (f"?{citation.act_title}" if citation.act_title else "?")
    return f"{name} {'/'.join(unit or '' for unit in units)}" + (f" @{citation.edition}" if citation.edition else "")


def shorts(text: str, act: str | None = None, article: str | None = None, **options: object) -> list[str]:
    return [short(citation) for citation in read(text, act, article, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("刑法第一百二十条之一", ["刑法 120-1"]),
        ("刑法第120条之1", ["刑法 120-1"]),
        ("刑法第120之1条", ["刑法 120-1"]),
        ("刑法第一百二十条之一、之二", ["刑法 120-1", "刑法 120-2"]),
        ("《民法典》第25条", ["民法典 25"]),
        ("《民法典》第２５条", ["民法典 25"]),
        ("《民法典》第一〇六二条", ["民法典 1062"]),
        ("《民法典》第一千零六十二条", ["民法典 1062"]),
        ("《民法典》第两百条", ["民法典 200"]),
        ("《民法典》第十条第二款第（三）项第2目", ["民法典 10/2/3/2"]),
        ("《民法典》第十条第②项", ["民法典 10//2"]),
        ("《民法典》第十条第一款（三）项", ["民法典 10/1/3"]),
        ("《民法典》第10條第2項", ["民法典 10//2"]),
        ("刑法第133-1条第1款", ["刑法 133-1/1"]),
        ("食安法148条2款", ["食品安全法 148/2"]),
        ("民法典第1165条1款", ["民法典 1165/1"]),
    ],
)
def test_numbers_and_units(text: str, expected: list[str]) -> None:
    assert shorts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("民法典第25条、第26条", ["民法典 25", "民法典 26"]),
        ("《民法典》第548/549条", ["民法典 548", "民法典 549"]),
        ("民法典577、579条", ["民法典 577", "民法典 579"]),
        ("《企业破产法》第三十一条第（三）项、三十二条", ["企业破产法 31//3", "企业破产法 32"]),
        ("民法典第25、26条", ["民法典 25", "民法典 26"]),
        ("民法典第一百九十八、一百九十九条", ["民法典 198", "民法典 199"]),
        ("刑法第十条第一款、第三款", ["刑法 10/1", "刑法 10/3"]),
        ("刑法第十条第一、三款和第十一条", ["刑法 10/1", "刑法 10/3", "刑法 11"]),
        ("刑法第十条第一款第（一）、（三）项", ["刑法 10/1/1", "刑法 10/1/3"]),
        ("刑法第十条第一款第（一）（三）项和第二款", ["刑法 10/1/1", "刑法 10/1/3", "刑法 10/2"]),
        ("刑法第十条第五项及第十一条第六项", ["刑法 10//5", "刑法 11//6"]),
        ("刑法第十条（共同犯罪）、第十一条", ["刑法 10", "刑法 11"]),
        ("刑法第五条、3名被告人", ["刑法 5"]),
        ("刑法第五条，一款手机", ["刑法 5"]),
        ("《民法典》第1062条、第1063条；第1064条", ["民法典 1062", "民法典 1063", "民法典 1064"]),
        ("《民法典》第577条、《合同法》第107条", ["民法典 577", "合同法 107"]),
        ("民法典第577条、合同法第107条", ["民法典 577", "合同法 107"]),
    ],
)
def test_lists(text: str, expected: list[str]) -> None:
    assert shorts(text) == expected


def test_members_of_a_list_share_raw() -> None:
    found = read("依照《刑法》第264条、第67条第3款之规定")
    assert {citation.raw for citation in found} == {"《刑法》第264条、第67条第3款"}


@pytest.mark.parametrize(
    "text", ["民法典第十七条至第十九条", "民法典第17-19条", "民法典第17条—第19条", "民法典第17条到19条"]
)
def test_ranges(text: str) -> None:
    found = read(text)
    assert [citation.article for citation in found] == ["17", "18", "19"]
    assert all(CitationFlag.RANGE_MEMBER in citation.flags for citation in found)


def test_a_range_follows_the_acts_own_order() -> None:
    index = ArticleIndex({(Jurisdiction.CN, "刑法"): ["119", "120", "120-1", "120-2", "121", "122"]})
    assert shorts("刑法第一百二十条至第一百二十二条", articles=index) == [
        f"刑法 {number}" for number in ("120", "120-1", "120-2", "121", "122")
    ]


def test_a_range_of_points_is_counted_out() -> None:
    assert shorts("著作权法第十条第一款第五项至第七项") == [f"著作权法 10/1/{point}" for point in (5, 6, 7)]


def test_a_range_in_no_order_gives_its_ends_and_says_so() -> None:
    found = read("刑法第十条至第五条")
    assert [citation.article for citation in found] == ["10", "5"]
    assert CitationFlag.AMBIGUOUS in found[1].flags


def test_ranges_of_a_hostile_text_are_not_counted_out_without_end() -> None:
    text = "刑法第1条至第1400条。" * 200
    assert len(read(text)) < 20_000 + 2 * len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《中华人民共和国民法典》（2020修正）第5条", ["民法典 5 @2020"]),
        ("《中华人民共和国民法典(2020修正)》第5条", ["民法典 5 @2020"]),
        ("公司法（2018年修正）第二十条", ["公司法 20 @2018"]),
        ("2018年修正的《公司法》第二十条", ["公司法 20 @2018"]),
        ("2001年商标法第十条", ["商标法 10 @2001"]),
        ("《民事诉讼法》（2017年）第111条", ["民事诉讼法 111 @2017"]),
        ("原《合同法》第五十二条第（四）项", ["合同法 52//4"]),
        ("中华人民共和国宪法第三十三条", ["宪法 33"]),
        ("《刑法修正案（十一）》第一条", ["刑法修正案（十一） 1"]),
        ("民法典侵权责任编第1165条", ["民法典 1165"]),
        ("《刑法》分则第三章第一百四十条", ["刑法 140"]),
        ("公司法司法解释（三）第十六条、公司法解释三第17条", [f"{COMPANY_3} 16", f"{COMPANY_3} 17"]),
        (f"《{COMPANY_3.replace('《', '〈').replace('》', '〉')}》第三条", [f"{COMPANY_3} 3"]),
        (f"《{COMPANY_3.replace('《', '<').replace('》', '>')}》第三条", [f"{COMPANY_3} 3"]),
        (f"{COMPANY_3}第三条", [f"{COMPANY_3} 3"]),
        (f"{COMPANY_3}：第三条", [f"{COMPANY_3} 3"]),
        ("最高人民法院《关于适用〈民法典〉婚姻家庭编的解释（一）》第69条", [f"{FAMILY_1} 69"]),
        ("《 中 华 人 民 共 和 国 刑 法 》 第 二 百 六 十 四 条", ["刑法 264"]),
        ("依照《中华人民共和国\n刑法》第二百\n六十四条", ["刑法 264"]),
        ("《民法典》**第577条**、**第578条**", ["民法典 577", "民法典 578"]),
        ("根据第577条（《民法典》）的规定", ["民法典 577"]),
        ("根据第577条《民法典》的规定", ["民法典 577"]),
        ("刑法264条、《民法典》1064条", ["刑法 264", "民法典 1064"]),
        ("《民法典》：第577条", ["民法典 577"]),
        ("《民法典合同编》第577条、《民法典·物权编》第311条", ["民法典 577", "民法典 311"]),
        ("《民法典》第394条-395条", ["民法典 394", "民法典 395"]),
        ("最高法最高检《关于办理盗窃刑事案件适用法律若干问题的解释》第1条", [f"{THEFT} 1"]),
        ("法释〔2020〕22号第69条、法释[2020]22号第70条", [f"{FAMILY_1} 69", f"{FAMILY_1} 70"]),
        ("《民法典》第三编第二分编第十四章第647条", ["民法典 647"]),
        (f"《{COMPANY_3}》第三条：内容。依照本规定第四条", [f"{COMPANY_3} 3", f"{COMPANY_3} 4"]),
    ],
)
def test_acts(text: str, expected: list[str]) -> None:
    assert shorts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《民法典第577条规定了违约责任", ["民法典 577"]),
        ("《民法典第577条，《公司法》第3条", ["民法典 577", "公司法 3"]),
        ("民法典》第577条", ["民法典 577"]),
        ("《民法典第577条》", ["民法典 577"]),
    ],
)
def test_marks_that_do_not_match(text: str, expected: list[str]) -> None:
    assert shorts(text) == expected


def test_acts_outside_the_registry_keep_title_and_number() -> None:
    (found,) = read("《某某省湖泊管理条例》（某府发〔2031〕5号）第2条")
    assert (found.act, found.act_title, found.act_number) == (None, "某某省湖泊管理条例", "某府发〔2031〕5号")
    assert found.jurisdiction is Jurisdiction.CN
    assert shorts("依据湖泊生态管理条例第五条") == ["?湖泊生态管理条例 5"]


@pytest.mark.parametrize("text", ["德国民法典第823条", "《澳门民法典》第5条", "泰国《外商经营法》第4条"])
def test_the_law_of_another_place_is_not_ours(text: str) -> None:
    (found,) = read(text)
    assert found.act is None
    assert found.jurisdiction is None
    assert found.act_title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《消费者权益保护法》（以下简称“消保法甲”）施行。消保法甲第55条", ["消费者权益保护法 55"]),
        ("《中华人民共和国刑法》（以下简称《刑典》）第264条。依照《刑典》第67条", ["刑法 264", "刑法 67"]),
        ("《湖泊条例》（以下简称《条例》）第2条；《条例》第3条", ["?湖泊条例 2", "?湖泊条例 3"]),
        ("《设备买卖合同》（以下简称《合同》）。《合同》第2条", []),
    ],
)
def test_short_names_that_a_text_defines(text: str, expected: list[str]) -> None:
    assert shorts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "双方合同第三条",
        "公司章程第十条",
        "依据协议第2条",
        "《租赁合同》第五条",
        "《公司章程》第五条、第六条",
        "该协议第15条约定",
        "甲公司与乙公司签订《租赁合同》。第五条约定租金",
        "（2020）京01民终123号",
        "第三人李某",
        "第一审程序",
        "今日头条",
        "第三条路",
        "第一条理由",
        "第二条生产线",
        "第三款手机",
        "目前条件不足",
        "此前款项已付",
        "该条件成就",
        "合同条款",
        "刑法共452条",
        "《股权转让通知》第2条",
        "依据《合同》第8条、第9条，第10条",
        "证据第3页第2条聊天记录",
    ],
)
def test_lookalikes(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "expected", "flag"),
    [
        ("《劳动合同法》第39条。该法第40条", "劳动合同法 40", CitationFlag.ANAPHORA),
        ("第143条（《民法典》）规定了要件，该法第153条", "民法典 153", CitationFlag.ANAPHORA),
        ("第577条（民法典），第579条", "民法典 579", CitationFlag.ANAPHORA),
        ("第577条（《民法典》）、第579条", "民法典 579", CitationFlag.ANAPHORA),
        ("《劳动合同法》第39条。同法第41条", "劳动合同法 41", CitationFlag.ANAPHORA),
        ("《劳动合同法》第39条规定。依照该条第一款", "劳动合同法 39/1", CitationFlag.ANAPHORA),
        ("《刑法》第20条。《工伤保险条例》第十四条。该法第21条", "刑法 21", CitationFlag.ANAPHORA),
        ("《工伤保险条例》第14条：内容。依照本条例第十五条", "工伤保险条例 15", CitationFlag.ANAPHORA),
        ("《著作权法》第十条：内容。本条第一款第五项", "著作权法 10/1/5", CitationFlag.ANAPHORA),
        ("《民法典》第1168条的逻辑；另见第1170条", "民法典 1170", CitationFlag.ANAPHORA),
        ("该法第五条", "? 5", CitationFlag.UNRESOLVED),
        ("本法第五条", "? 5", CitationFlag.UNRESOLVED),
        ("《民法典》第5条，该条例第六条", "? 6", CitationFlag.UNRESOLVED),
        ("依照第五条", "? 5", CitationFlag.UNRESOLVED),
        ("《刑法》第5条、第6条。该条第一款", "刑法 /1", CitationFlag.UNRESOLVED),
        ("根据司法解释第三十六条", "? 36", CitationFlag.UNRESOLVED),
        ("《刑法》第五条。根据有关司法解释第三十六条", "? 36", CitationFlag.UNRESOLVED),
    ],
)
def test_anaphora(text: str, expected: str, flag: CitationFlag) -> None:
    found = read(text)
    assert short(found[-1]) == expected
    assert flag in found[-1].flags


def test_a_document_named_by_its_number_alone_is_outside_and_a_case_number_names_nothing() -> None:
    found = read("根据法释〔1999〕99号第三条。该解释第四条")
    assert [(item.act, item.act_title, item.act_number, item.article) for item in found] == [
        (None, None, "法释〔1999〕99号", "3"),
        (None, None, "法释〔1999〕99号", "4"),
    ]
    assert [item.act_number for item in read("（2023）京0105民初1234号第三条")] == [None]


def test_a_remark_between_an_article_and_its_part_does_not_lose_the_part() -> None:
    assert shorts("《刑法》第二百三十二条（故意杀人罪）、第二百三十四条（故意伤害罪）第二款") == [
        "刑法 232",
        "刑法 234/2",
    ]
    assert shorts("《民法典》第563条【法定解除】第一款第（四）项") == ["民法典 563/1/4"]
    assert shorts("《刑法》第67条（自首）第一审判决") == ["刑法 67"]


def test_an_act_in_brackets_is_of_the_whole_list_in_front_of_it_and_another_act_s_name_takes_nothing() -> None:
    assert shorts("第577条（违约责任），第579条（民法典）") == ["民法典 577", "民法典 579"]
    assert shorts("《民法典》第577条（《合同法》），第579条") == ["民法典 577", "民法典 579"]


def test_a_quoted_article_is_the_antecedent_of_its_own_words() -> None:
    text = "《公司法》第16条 对外担保。如《民法典》第5条，前款规定的股东，依照本法第二十条。\n第二十一条 关联关系"
    assert shorts(text) == ["公司法 16", "民法典 5", "公司法 16", "公司法 20", "公司法 21"]


def test_the_repeated_heading_of_a_quoted_article_is_read_once() -> None:
    assert shorts("《公司法》第16条\n第十六条 公司向其他企业投资") == ["公司法 16"]


class TestInAStatute:
    def test_a_bare_article_is_its_own(self) -> None:
        assert shorts("依照第五条、第六条处罚", "刑法", "9") == ["刑法 5", "刑法 6"]

    def test_own_and_other_acts(self) -> None:
        text = "违反本法第五条、《治安管理处罚法》第三条的，适用第八条"
        assert shorts(text, "刑法", "9") == ["刑法 5", "治安管理处罚法 3", "刑法 8"]

    def test_itself(self) -> None:
        found = read("本条第一款、前款第二项的规定，依照本法第九条", "刑法", "9")
        assert [short(citation) for citation in found] == ["刑法 9/1", "刑法 9//2", "刑法 9"]
        assert all(citation.is_self for citation in found)

    def test_a_part_without_an_article_is_its_own(self) -> None:
        (found,) = read("第一款规定的人员", "刑法", "9")
        assert (short(found), found.is_self) == ("刑法 9/1", True)

    def test_headings_are_no_citations_and_set_the_article(self) -> None:
        found = read("第八条 甲。\n第九条 乙，依照本条第二款。\n", "刑法")
        assert [(short(citation), citation.is_self) for citation in found] == [("刑法 9/2", True)]

    def test_the_article_before(self) -> None:
        index = ArticleIndex({(Jurisdiction.CN, "刑法"): ["120", "120-1", "121"]})
        (found,) = read("前条第一款", "刑法", "121", articles=index)
        assert (short(found), found.flags) == ("刑法 120-1/1", (CitationFlag.ANAPHORA,))
        (guess,) = read("前条第一款", "刑法", "121")
        assert CitationFlag.AMBIGUOUS in guess.flags

    def test_another_kind_is_not_its_own(self) -> None:
        (found,) = read("本条例第五条", "刑法", "9")
        assert found.act is None
        assert CitationFlag.UNRESOLVED in found.flags

    def test_chapters_of_its_own(self) -> None:
        assert shorts("本章第三条", "公司法", "8") == ["公司法 3"]


def test_a_law_behind_a_verb_is_the_statute_itself() -> None:
    text = "同时又构成本法第一百四十一条之罪"
    (citation,) = read(text, "刑法", "140")
    assert (citation.raw, short(citation)) == ("本法第一百四十一条", "刑法 141")


def test_a_law_that_cannot_be_told_does_not_go_to_the_one_named_before() -> None:
    first, second = read("《民法典》第577条；某甲合法第39条")
    assert short(first) == "民法典 577"
    assert second.act is None
    assert CitationFlag.UNRESOLVED in second.flags


def test_claims_have_points_and_no_articles() -> None:
    assert shorts("依照《行政诉讼法》第六十九条，驳回第三条第二项诉请") == ["行政诉讼法 69"]


def test_a_contract_s_own_clauses_are_not_of_the_law_that_they_name() -> None:
    text = (
        "第一条、根据《民法典》第四百六十五条订立本合同。第二条、租期三年。第三条、租金参照《民法典》第七百二十一条。"
    )
    assert shorts(text) == ["? 1", "民法典 465", "? 2", "? 3", "民法典 721"]
    text = (
        "甲乙双方根据《民法典》，协商订立本合同。\n第一条 标的\n第二条 违约责任依《民法典》第五百八十五条\n第三条 期限"
    )
    assert shorts(text) == ["? 1", "? 2", "民法典 585", "? 3"]
    assert shorts("根据《公司法》制定本章程：第一条 名称；第二条 住所") == ["? 1", "? 2"]
    # A statute's articles told one by one are of it.
    assert shorts("《民法典》规定如下。第一条规定目的。第二条规定范围。") == ["民法典 1", "民法典 2"]


def test_a_sentence_of_a_part_does_not_lose_the_part() -> None:
    assert shorts("《刑法》第二百三十四条第二款前段") == ["刑法 234/2"]
    assert shorts("依照《刑法》第十二条，目前；第五条第一项目前未改") == ["刑法 12", "刑法 5//1"]


def test_the_title_that_heads_the_next_list_takes_no_article_of_this_one() -> None:
    text = "**《民法典》**\n- 第577条：违约责任\n- 第584条\n\n**《公司法》**\n1. 第二十条第三款\n2. 第二十一条"
    assert shorts(text) == ["民法典 577", "民法典 584", "公司法 20/3", "公司法 21"]
    assert shorts("第577条《民法典》") == ["民法典 577"]
